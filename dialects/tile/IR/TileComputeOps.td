// Products, reductions and conversions: what upstream's arith and math lack.
#ifndef TILE_COMPUTE_OPS_TD
#define TILE_COMPUTE_OPS_TD

include "TileTypes.td"
include "TileAttributes.td"
include "TileInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Tile_DotOp : Tile_Op<"dot", [Pure, AllTypesMatch<["acc", "result"]>]> {
  let summary = "Matrix product plus accumulator";
  let description = [{
    `result = a * b + acc`, over the last two dimensions; a leading dimension,
    if any, is a batch. Sums are kept in the accumulator's type. `precision`
    says how f32 operands are read. Integer operands are signed unless
    `unsigned` is given.

    ```mlir
    %d = tile.dot %a, %b, %c precision tf32
        : tensor<64x32xf32>, tensor<32x64xf32> -> tensor<64x64xf32>
    ```

    - dot.1: operands have rank two, or three with equal batch sizes.
    - dot.2: the columns of `a` are the rows of `b`.
    - dot.3: the accumulator has the rows of `a` and the columns of `b`.
    - dot.4: operands have equal element types, or are both 8-bit floats.
    - dot.5: floats accumulate in floats, integers in i32.
    - dot.6: a `unit`, chosen when the kernel is scheduled, accepts the product.
  }];
  let arguments = (ins RankedTensorOf<[AnySignlessInteger, AnyFloat]>:$a,
                       RankedTensorOf<[AnySignlessInteger, AnyFloat]>:$b,
                       RankedTensorOf<[AnySignlessInteger, AnyFloat]>:$acc,
                       DefaultValuedAttr<Tile_InputPrecisionAttr, "InputPrecision::IEEE">:$precision,
                       UnitAttr:$isUnsigned,
                       DefaultValuedAttr<I32Attr, "0">:$maxImpreciseAcc,
                       OptionalAttr<Tile_MatmulUnit>:$unit);
  let results = (outs RankedTensorOf<[AnySignlessInteger, AnyFloat]>:$result);
  let assemblyFormat = [{
    $a `,` $b `,` $acc (`precision` $precision^)? (`unsigned` $isUnsigned^)?
    attr-dict `:` type($a) `,` type($b) `->` type($acc)
  }];
  let extraClassDeclaration = [{
    /// What a matmul unit has to compute; without the batch.
    MatmulProblem getProblem();
  }];
  let hasVerifier = 1;
}

def Tile_ReduceOp : Tile_Op<"reduce", [Pure, SingleBlock, RecursiveMemoryEffects]> {
  let summary = "Combine all elements along a dimension";
  let description = [{
    The region combines two elements of each source into one; it must be
    associative and commutative. Its arguments are one element of each source,
    then another of each. A rank-1 source gives a scalar.

    ```mlir
    %sum = tile.reduce(%x) axis 1 {
    ^bb0(%a: f32, %b: f32):
      %c = arith.addf %a, %b : f32
      tile.yield %c : f32
    } : (tensor<128x64xf32>) -> tensor<128xf32>
    ```

    - reduce.1: sources have one shape, and `axis` is one of its dimensions.
    - reduce.2: results have the sources' element types and shape without `axis`.
    - reduce.3: the region takes two elements of each source and yields one of each.
  }];
  let arguments = (ins Variadic<Tile_Block>:$sources, I32Attr:$axis);
  let results = (outs Variadic<Tile_Value>:$reduced);
  let regions = (region SizedRegion<1>:$combiner);
  let assemblyFormat = [{
    `(` $sources `)` `axis` $axis $combiner attr-dict `:` functional-type($sources, $reduced)
  }];
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
}

def Tile_YieldOp : Tile_Op<"yield", [Pure, Terminator]> {
  let summary = "The values that a region gives";
  let description = [{
    ```mlir
    tile.yield %c : f32
    ```
  }];
  let arguments = (ins Variadic<AnyType>:$values);
  let assemblyFormat = "($values^ `:` type($values))? attr-dict";
  let builders = [OpBuilder<(ins), [{}]>];
}

def Tile_CastOp : Tile_Op<"cast", [Pure, Elementwise, SameOperandsAndResultShape]> {
  let summary = "Convert between float types";
  let description = [{
    The one conversion to and from 8-bit floats. Narrowing rounds as `rounding`
    says; values beyond the largest finite one of an 8-bit type, infinities
    included, become that largest one (of the types without an infinity and with
    a single NaN, infinities become NaN); NaN stays NaN.

    ```mlir
    %h = tile.cast %x rounding rtz : tensor<128xf32> -> tensor<128xf16>
    ```

    - cast.1: source and result are floats of different types.
  }];
  let arguments = (ins Tile_FloatLike:$source,
                       DefaultValuedAttr<Tile_RoundingAttr, "Rounding::NearestEven">:$rounding);
  let results = (outs Tile_FloatLike:$result);
  let assemblyFormat = [{
    $source (`rounding` $rounding^)? attr-dict `:` type($source) `->` type($result)
  }];
  let hasVerifier = 1;
  let hasFolder = 1;
}

#endif // TILE_COMPUTE_OPS_TD
