//===- TileNative.cpp - Python module of registration and compilation -----===//
//
// Diagnostics of a failed call are raised as one CompileFailure whose `args[0]`
// is a list of (severity, message, file, line, column, notes).
//
//===----------------------------------------------------------------------===//
#include "compiler/bindings/c/Tilewright.h"

#include "mlir-c/BuiltinAttributes.h"
#include "mlir-c/Diagnostics.h"
#include "mlir/Bindings/Python/Nanobind.h"
#include "mlir/Bindings/Python/NanobindAdaptors.h"
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <string>
#include <vector>

namespace nb = nanobind;
using namespace mlir::python::nanobind_adaptors;

//===----------------------------------------------------------------------===//
// Diagnostics
//===----------------------------------------------------------------------===//

namespace {
struct Diagnostic {
  const char *severity = "error";
  std::string message;
  std::string file;
  int line = 0, column = 0;
  std::vector<Diagnostic> notes;
};

/// Collects what a context reports while this object lives.
class DiagnosticCollector {
public:
  explicit DiagnosticCollector(MlirContext context) : context(context) {
    handler = mlirContextAttachDiagnosticHandler(context, &collect, this, nullptr);
  }
  ~DiagnosticCollector() { mlirContextDetachDiagnosticHandler(context, handler); }
  std::vector<Diagnostic> diagnostics;

private:
  static MlirLogicalResult collect(MlirDiagnostic diagnostic, void *self);
  MlirContext context;
  MlirDiagnosticHandlerID handler;
};
} // namespace

static void append(MlirStringRef text, void *out) {
  static_cast<std::string *>(out)->append(text.data, text.length);
}

static const char *getSeverity(MlirDiagnostic diagnostic) {
  switch (mlirDiagnosticGetSeverity(diagnostic)) {
  case MlirDiagnosticError:
    return "error";
  case MlirDiagnosticWarning:
    return "warning";
  case MlirDiagnosticNote:
    return "note";
  default:
    return "remark";
  }
}

/// The innermost file position of a location: where a call was inlined, the callee's.
static bool findPosition(MlirLocation location, Diagnostic &result) {
  if (mlirLocationIsAFileLineColRange(location)) {
    MlirStringRef file =
        mlirIdentifierStr(mlirLocationFileLineColRangeGetFilename(location));
    result.file.assign(file.data, file.length);
    result.line = mlirLocationFileLineColRangeGetStartLine(location);
    result.column = mlirLocationFileLineColRangeGetStartColumn(location);
    return true;
  }
  if (mlirLocationIsAName(location))
    return findPosition(mlirLocationNameGetChildLoc(location), result);
  if (mlirLocationIsACallSite(location))
    return findPosition(mlirLocationCallSiteGetCallee(location), result) ||
           findPosition(mlirLocationCallSiteGetCaller(location), result);
  if (mlirLocationIsAFused(location)) {
    std::vector<MlirLocation> parts(mlirLocationFusedGetNumLocations(location));
    mlirLocationFusedGetLocations(location, parts.data());
    for (MlirLocation part : parts)
      if (findPosition(part, result))
        return true;
  }
  return false;
}

/// The calls through which code came to where it was inlined, innermost first.
static void appendCallers(MlirLocation location, std::vector<Diagnostic> &notes) {
  while (mlirLocationIsACallSite(location)) {
    location = mlirLocationCallSiteGetCaller(location);
    Diagnostic note;
    note.severity = "note";
    note.message = "in the call here";
    if (findPosition(location, note))
      notes.push_back(std::move(note));
  }
}

static Diagnostic convert(MlirDiagnostic diagnostic) {
  Diagnostic result;
  result.severity = getSeverity(diagnostic);
  mlirDiagnosticPrint(diagnostic, append, &result.message);
  findPosition(mlirDiagnosticGetLocation(diagnostic), result);
  appendCallers(mlirDiagnosticGetLocation(diagnostic), result.notes);
  for (intptr_t i = 0, e = mlirDiagnosticGetNumNotes(diagnostic); i < e; ++i)
    result.notes.push_back(convert(mlirDiagnosticGetNote(diagnostic, i)));
  return result;
}

MlirLogicalResult DiagnosticCollector::collect(MlirDiagnostic diagnostic, void *self) {
  static_cast<DiagnosticCollector *>(self)->diagnostics.push_back(convert(diagnostic));
  return mlirLogicalResultSuccess();
}

static nb::list toPython(const std::vector<Diagnostic> &diagnostics) {
  nb::list result;
  for (const Diagnostic &entry : diagnostics)
    result.append(nb::make_tuple(entry.severity, entry.message, entry.file, entry.line,
                                 entry.column, toPython(entry.notes)));
  return result;
}

static PyObject *compileFailure = nullptr;

[[noreturn]] static void raise(const DiagnosticCollector &collector) {
  PyErr_SetObject(compileFailure, toPython(collector.diagnostics).ptr());
  throw nb::python_error();
}

//===----------------------------------------------------------------------===//
// Compilation
//===----------------------------------------------------------------------===//

static nb::bytes take(TileBuffer buffer) {
  nb::bytes result(buffer.data, buffer.size);
  tileBufferFree(buffer);
  return result;
}

static TileCompileOptions makeOptions(const std::string &arch, int64_t numWarps, int64_t numStages,
                                      int64_t numCtas, bool fpFusion, bool lineInfo = false,
                                      int64_t maxRegisters = 0) {
  return {arch.c_str(), numWarps, numStages, numCtas, fpFusion, lineInfo, maxRegisters};
}

/// Lower in place; gives the warnings and remarks.
static nb::list lower(MlirModule module, const std::string &target, const std::string &arch,
                      const std::string &from, const std::string &to, int64_t numWarps,
                      int64_t numStages, int64_t numCtas, bool fpFusion,
                      std::optional<std::string> reproducer) {
  DiagnosticCollector collector(mlirModuleGetContext(module));
  bool done;
  {
    nb::gil_scoped_release release;
    done = tileLower(module, target.c_str(), from.c_str(), to.c_str(),
                     makeOptions(arch, numWarps, numStages, numCtas, fpFusion),
                     reproducer ? reproducer->c_str() : nullptr);
  }
  if (!done)
    raise(collector);
  return toPython(collector.diagnostics);
}

static nb::bytes emit(MlirModule module, const std::string &target, const std::string &arch,
                      const std::string &artifact, int64_t numWarps, int64_t numStages,
                      int64_t numCtas, bool fpFusion, bool lineInfo, int64_t maxRegisters) {
  DiagnosticCollector collector(mlirModuleGetContext(module));
  TileBuffer buffer{};
  bool done;
  {
    nb::gil_scoped_release release;
    done = tileEmit(module, target.c_str(), artifact.c_str(),
                    makeOptions(arch, numWarps, numStages, numCtas, fpFusion, lineInfo, maxRegisters),
                    &buffer);
  }
  if (!done)
    raise(collector);
  return take(buffer);
}

NB_MODULE(_tileNative, module) {
  compileFailure = PyErr_NewExceptionWithDoc(
      "tilewright.mlir._mlir_libs._tileNative.CompileFailure",
      "A pass or a code generator failed; args[0] lists the diagnostics.", nullptr, nullptr);
  module.attr("CompileFailure") = nb::borrow(compileFailure);
  module.def("register_dialects", [](MlirDialectRegistry registry) { tileRegisterDialects(registry); });
  module.def("register_passes", [] { tileRegisterPasses(); });
  module.def("describe_targets", [] { return take(tileDescribeTargets()); },
             "JSON text: targets with their architectures, stages and artifacts.");
  module.def("lower", &lower, nb::arg("module"), nb::arg("target"), nb::arg("arch"),
             nb::arg("from_stage"), nb::arg("to_stage"), nb::arg("num_warps") = 4,
             nb::arg("num_stages") = 3, nb::arg("num_ctas") = 1, nb::arg("fp_fusion") = true,
             nb::arg("reproducer").none() = nb::none(),
             "Lower a module in place between two stages; returns remarks and warnings.");
  module.def("emit", &emit, nb::arg("module"), nb::arg("target"), nb::arg("arch"),
             nb::arg("artifact"), nb::arg("num_warps") = 4, nb::arg("num_stages") = 3,
             nb::arg("num_ctas") = 1, nb::arg("fp_fusion") = true, nb::arg("line_info") = false,
             nb::arg("max_registers") = 0,
             "Emit text or bytes from a module at stage `llvm`.");
}
