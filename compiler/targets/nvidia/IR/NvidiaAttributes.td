// Attributes of the `nvidia` dialect: its matmul units.
#ifndef NVIDIA_ATTRIBUTES_TD
#define NVIDIA_ATTRIBUTES_TD

include "NvidiaDialect.td"
include "dialects/tile/IR/TileInterfaces.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"

def Nvidia_MmaKind : I32EnumAttr<"MmaKind", "Operands of mma.sync", [
  I32EnumAttrCase<"F16", 0, "f16">, I32EnumAttrCase<"BF16", 1, "bf16">,
  I32EnumAttrCase<"TF32", 2, "tf32">, I32EnumAttrCase<"I8", 3, "i8">,
  I32EnumAttrCase<"F8", 4, "f8">, I32EnumAttrCase<"F64", 5, "f64">]> {
  let cppNamespace = "::tile::nvidia";
  let genSpecializedAttr = 0;
}

def Nvidia_MmaSyncAttr : AttrDef<Nvidia_Dialect, "MmaSync", [
    DeclareAttrInterfaceMethods<Tile_MatmulUnit, ["getPaired"]>]> {
  let mnemonic = "mma_sync";
  let summary = "The matrix instruction of one warp";
  let description = [{
    All operands are in registers. The shape follows from the kind: 16x8x16 for
    16-bit operands, 16x8x8 for tf32, 16x8x32 for 8-bit ones, 8x8x4 for f64.

    A lane's two words of a row of A, or of a column of B, are half of k apart;
    `paired` ones follow each other. The instruction is the same: it adds products in
    another order. Elements of half the width are then whole words of on-chip memory.

    ```mlir
    #nvidia.mma_sync<f16>
    #nvidia.mma_sync<f16, paired = true>
    ```
  }];
  let parameters = (ins EnumParameter<Nvidia_MmaKind>:$kind,
                        DefaultValuedParameter<"bool", "false">:$hasPairs);
  let assemblyFormat = "`<` $kind (`,` `paired` `=` $hasPairs^)? `>`";
  let builders = [AttrBuilder<(ins "::tile::nvidia::MmaKind":$kind), [{
    return $_get($_ctxt, kind, /*hasPairs=*/false);
  }]>];
  let genVerifyDecl = 1;
}

def Nvidia_WgmmaAttr : AttrDef<Nvidia_Dialect, "Wgmma", [
    DeclareAttrInterfaceMethods<Tile_MatmulUnit, ["readsOnChip", "roundsSums", "getWidest", "getOnChipLayout",
                                                  "packRegisters", "emitAsync"]>]> {
  let mnemonic = "wgmma";
  let summary = "The matrix instruction of four warps";
  let description = [{
    Operand B, and A unless it is in registers, are read from on-chip memory, in
    columns of 16, 32, 64 or 128 bytes whose 16-byte groups are permuted. An
    instruction has 64 rows, `n` columns and 32 bytes of each operand along k.

    ```mlir
    #nvidia.wgmma<f16, n = 256>
    ```
  }];
  let parameters = (ins EnumParameter<Nvidia_MmaKind>:$kind,
                        DefaultValuedParameter<"int64_t", "8">:$n);
  let assemblyFormat = "`<` $kind (`,` `n` `=` $n^)? `>`";
  let genVerifyDecl = 1;
}

#endif // NVIDIA_ATTRIBUTES_TD
