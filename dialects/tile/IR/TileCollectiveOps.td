// Scans, sorts and histograms: what looks at many elements of a block to say each one.
#ifndef TILE_COLLECTIVE_OPS_TD
#define TILE_COLLECTIVE_OPS_TD

include "TileTypes.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Tile_ScanOp : Tile_Op<"scan", [Pure, SingleBlock, RecursiveMemoryEffects]> {
  let summary = "Combine each element with all before it along a dimension";
  let description = [{
    Element `i` of the result combines elements 0 to `i`, itself included; with
    `reverse`, those from the last one down to `i`. The region combines two
    elements of each source into one. Its arguments are what was met earlier on
    the way, one value of each source, and then what was met later. It must be
    associative, but need not be commutative: the order is kept.

    ```mlir
    %sums = tile.scan(%x) axis 1 reverse {
    ^bb0(%earlier: f32, %later: f32):
      %c = arith.addf %earlier, %later : f32
      tile.yield %c : f32
    } : (tensor<128x64xf32>) -> tensor<128x64xf32>
    ```

    - scan.1: sources have one shape, and `axis` is one of its dimensions.
    - scan.2: results have the sources' types.
    - scan.3: the region takes two elements of each source and yields one of each.
  }];
  let arguments = (ins Variadic<Tile_Block>:$sources, I32Attr:$axis, UnitAttr:$reverse);
  let results = (outs Variadic<Tile_Block>:$scanned);
  let regions = (region SizedRegion<1>:$combiner);
  let assemblyFormat = [{
    `(` $sources `)` `axis` $axis (`reverse` $reverse^)? $combiner attr-dict `:`
    functional-type($sources, $scanned)
  }];
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
  let hasFolder = 1;
}

def Tile_SortOp : Tile_Op<"sort", [Pure]> {
  let summary = "Order the elements of each row";
  let description = [{
    Elements along the last dimension, in ascending order unless `descending` is
    given. Where the result is shorter it holds the first ones of that order:
    with `descending`, the largest. Integers are signed unless `unsigned` is
    given. Among floats -0 comes before +0, and NaN counts as larger than any
    number; the NaN that come out need not have the bits of those that went in.

    A second result gives the places that the elements had in their rows. Equal
    elements then keep their order, whatever the direction.

    ```mlir
    %y = tile.sort %x : tensor<8x128xf32> -> tensor<8x128xf32>
    %largest, %places = tile.sort %x descending
        : tensor<8x128xf32> -> tensor<8x16xf32>, tensor<8x16xi32>
    ```

    - sort.1: elements are integers, or floats of 16 bits or more.
    - sort.2: the result has the source's element type and shape, but may have
      a smaller last dimension.
    - sort.3: places are a block of i32 of the result's shape.
  }];
  let arguments = (ins RankedTensorOf<[AnySignlessInteger, AnyFloat]>:$source, UnitAttr:$descending,
                       UnitAttr:$isUnsigned);
  let results = (outs RankedTensorOf<[AnySignlessInteger, AnyFloat]>:$sorted,
                      Optional<RankedTensorOf<[I32]>>:$places);
  let assemblyFormat = [{
    $source (`descending` $descending^)? (`unsigned` $isUnsigned^)? attr-dict `:`
    type($source) `->` type($sorted) (`,` type($places)^)?
  }];
  let hasVerifier = 1;
  let hasCanonicalizeMethod = 1;
}

def Tile_HistogramOp : Tile_Op<"histogram", [Pure,
    OptionalTypesMatchWith<"mask has the source's shape", "source", "mask",
                           "::tile::getMaskLike($_self)">]> {
  let summary = "Count how often each number occurs";
  let description = [{
    Element `i` of the result counts the elements of the source that equal `i`
    and whose `mask`, if any, is true. Numbers below zero, or beyond the result,
    are not counted.

    ```mlir
    %counts = tile.histogram %x mask %m : tensor<1024xi32> -> tensor<256xi32>
    ```

    - histogram.1: source and result have rank one.
  }];
  let arguments = (ins RankedTensorOf<[AnySignlessInteger]>:$source,
                       Optional<RankedTensorOf<[I1]>>:$mask);
  let results = (outs RankedTensorOf<[I32]>:$counts);
  let assemblyFormat = "$source (`mask` $mask^)? attr-dict `:` type($source) `->` type($counts)";
  let hasVerifier = 1;
}

#endif // TILE_COLLECTIVE_OPS_TD
