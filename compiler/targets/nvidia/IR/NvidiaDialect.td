// The `nvidia` dialect: instructions that upstream's NVVM dialect cannot say.
#ifndef NVIDIA_DIALECT_TD
#define NVIDIA_DIALECT_TD

include "mlir/IR/OpBase.td"

def Nvidia_Dialect : Dialect {
  let name = "nvidia";
  let cppNamespace = "::tile::nvidia";
  let summary = "NVIDIA's part of the stages `scheduled` and `gpu`";
  let description = [{
    Holds the matmul units of the hardware, as attributes, and predicated
    accesses to global memory, whose meaning can be stated without the machine
    and which become inline assembly on the way to stage `llvm`.
  }];
  let useDefaultAttributePrinterParser = 1;
  let dependentDialects = ["::mlir::LLVM::LLVMDialect", "::tile::TileDialect"];
}

class Nvidia_Op<string mnemonic, list<Trait> traits = []>
    : Op<Nvidia_Dialect, mnemonic, traits>;

#endif // NVIDIA_DIALECT_TD
