// Work on single elements in the program's own words: other code, other languages.
#ifndef TILE_ELEMENT_OPS_TD
#define TILE_ELEMENT_OPS_TD

include "TileTypes.td"
include "TileAttributes.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Tile_MapOp : Tile_Op<"map", [SingleBlock, RecursiveMemoryEffects, RecursivelySpeculatable]> {
  let summary = "Scalar code, with control flow of its own, for each element";
  let description = [{
    The region computes one element of each result from one element of each
    source; with `pack`, that many at a time: its arguments are then `pack`
    elements of the first source, as many of the second, and so on, and it
    yields in the same order. Which elements are packed together is not said.
    Unlike elementwise operations, only the branches that an element takes are
    run for it.

    ```mlir
    %y = tile.map(%x) {
    ^bb0(%a: f32):
      %zero = arith.constant 0.0 : f32
      %c = arith.cmpf olt, %a, %zero : f32
      %r = scf.if %c -> f32 {
        %e = math.exp %a : f32
        scf.yield %e : f32
      } else {
        scf.yield %a : f32
      }
      tile.yield %r : f32
    } : (tensor<128xf32>) -> tensor<128xf32>
    ```

    - map.1: there is a source and a result, and all have one shape.
    - map.2: `pack` is positive.
    - map.3: the region takes `pack` elements of each source and yields as many of each result.
    - map.4: the region has no effect but reads.
    - map.5: the region computes with scalars alone.
  }];
  let arguments = (ins Variadic<Tile_Block>:$sources, DefaultValuedAttr<I32Attr, "1">:$pack);
  let results = (outs Variadic<Tile_Block>:$mapped);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    `(` $sources `)` (`pack` $pack^)? $body attr-dict `:` functional-type($sources, $mapped)
  }];
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
  let hasCanonicalizeMethod = 1;
}

def Tile_InlineAsmOp : Tile_Op<"inline_asm", [
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
    DeclareOpInterfaceMethods<ConditionallySpeculatable>]> {
  let summary = "Assembly of the target for each element";
  let description = [{
    `assembly` and `constraints` are LLVM's: results first, then operands, in
    order. `pack` elements are computed at a time. Each of them has a register
    of its own, unless it is narrower than 32 bits: as many of these as fit, at
    most `pack`, share a register, the first one in the lowest bits. Which
    elements are packed together is not said. Without `pure` the code is taken
    to read and write memory, and is never dropped, moved or repeated.

    ```mlir
    %y = tile.inline_asm "shl.b32 $0, $1, 3;" constraints "=r,r"(%x) pure
        : (tensor<128xi32>) -> tensor<128xi32>
    ```

    - inline_asm.1: there is a result, and operands and results have one shape.
    - inline_asm.2: `pack` is positive.
    - inline_asm.3: there is one constraint for each register.
  }];
  let arguments = (ins StrAttr:$assembly, StrAttr:$constraints, Variadic<Tile_Value>:$sources,
                       DefaultValuedAttr<I32Attr, "1">:$pack, UnitAttr:$isPure);
  let results = (outs Variadic<Tile_Value>:$mapped);
  let assemblyFormat = [{
    $assembly `constraints` $constraints `(` $sources `)` (`pack` $pack^)? (`pure` $isPure^)?
    attr-dict `:` functional-type($sources, $mapped)
  }];
  let extraClassDeclaration = [{
    /// Elements of `type` that share a register.
    int64_t getElementsPerRegister(::mlir::Type type);
    /// Registers for `pack` elements of `type`.
    int64_t getNumRegisters(::mlir::Type type);
  }];
  let hasVerifier = 1;
}

#endif // TILE_ELEMENT_OPS_TD
