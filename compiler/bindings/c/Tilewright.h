/*===- Tilewright.h - The C interface of the compiler's library -------------===*\
|*                                                                            *|
|* What the Python bindings and the tools call: beside upstream's C API       *|
|* (mlir*) the library exports these functions and nothing else.              *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/
#ifndef TILE_COMPILER_BINDINGS_C_TILEWRIGHT_H
#define TILE_COMPILER_BINDINGS_C_TILEWRIGHT_H

#include "mlir-c/IR.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Register all dialects and translations of this build. */
MLIR_CAPI_EXPORTED void tileRegisterDialects(MlirDialectRegistry registry);
/** Register all passes, pipelines and targets of this build; idempotent. */
MLIR_CAPI_EXPORTED void tileRegisterPasses(void);

/** Options of one compilation; see CompileOptions.h. */
typedef struct {
  const char *arch;
  int64_t numWarps;
  int64_t numStages;
  int64_t numCtas;
  bool fpFusion;
  bool lineInfo;
  int64_t maxRegisters;
} TileCompileOptions;

/** A text or binary owned by the library; free with tileBufferFree. */
typedef struct {
  char *data;
  size_t size;
} TileBuffer;
MLIR_CAPI_EXPORTED void tileBufferFree(TileBuffer buffer);

/** Lower a module in place from one stage to another. False: diagnostics of the
 *  module's context say why, and `reproducer` (a path or null) is written. */
MLIR_CAPI_EXPORTED bool tileLower(MlirModule module, const char *target, const char *from,
                                  const char *to, TileCompileOptions options,
                                  const char *reproducer);
/** Emit an artifact from a module at stage `llvm`. False: diagnostics say why. */
MLIR_CAPI_EXPORTED bool tileEmit(MlirModule module, const char *target, const char *artifact,
                                 TileCompileOptions options, TileBuffer *result);

/** What this build can compile for, as JSON: {name: {"architectures": [...],
 *  "stages": [...], "artifacts": [...], "byte_floats": {architecture: [...]}}}. */
MLIR_CAPI_EXPORTED TileBuffer tileDescribeTargets(void);

/** `!tile.ptr<pointee>`; null with a diagnostic at `location` if invalid. */
MLIR_CAPI_EXPORTED MlirType tilePtrTypeGet(MlirLocation location, MlirType pointee);
MLIR_CAPI_EXPORTED bool tileTypeIsAPtr(MlirType type);
MLIR_CAPI_EXPORTED MlirType tilePtrTypeGetPointee(MlirType type);
MLIR_CAPI_EXPORTED MlirTypeID tilePtrTypeGetTypeID(void);

/** main() of the tools. */
MLIR_CAPI_EXPORTED int tileOptMain(int argc, char **argv);
MLIR_CAPI_EXPORTED int tileTranslateMain(int argc, char **argv);
MLIR_CAPI_EXPORTED int tileLspServerMain(int argc, char **argv);

#ifdef __cplusplus
}
#endif

#endif /* TILE_COMPILER_BINDINGS_C_TILEWRIGHT_H */
