// Making blocks and changing their shape.
#ifndef TILE_SHAPE_OPS_TD
#define TILE_SHAPE_OPS_TD

include "TileTypes.td"
include "TileAttributes.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Tile_ArangeOp : Tile_Op<"arange", [Pure]> {
  let summary = "Consecutive integers";
  let description = [{
    Element `i` of the block is `start + i`.

    ```mlir
    %i = tile.arange 0 : tensor<128xi32>
    ```

    - arange.1: the result is a rank-1 block of i32.
  }];
  let arguments = (ins I32Attr:$start);
  let results = (outs RankedTensorOf<[I32]>:$result);
  let assemblyFormat = "$start attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def Tile_SplatOp : Tile_Op<"splat", [Pure,
    TypesMatchWith<"source is the element", "result", "source",
                   "::mlir::cast<::mlir::RankedTensorType>($_self).getElementType()">]> {
  let summary = "A block of one scalar";
  let description = [{
    ```mlir
    %b = tile.splat %x : tensor<128x64xf32>
    ```
  }];
  let arguments = (ins Tile_ElementType:$source);
  let results = (outs Tile_Block:$result);
  let assemblyFormat = "$source attr-dict `:` type($result)";
  let hasFolder = 1;
}

def Tile_BroadcastOp : Tile_Op<"broadcast", [Pure]> {
  let summary = "Repeat along dimensions of size one";
  let description = [{
    ```mlir
    %b = tile.broadcast %a : tensor<128x1xf32> -> tensor<128x64xf32>
    ```

    - broadcast.1: source and result have the same rank and element type.
    - broadcast.2: each source size is the result's or one.
  }];
  let arguments = (ins Tile_Block:$source);
  let results = (outs Tile_Block:$result);
  let assemblyFormat = "$source attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Tile_ExpandDimsOp : Tile_Op<"expand_dims", [Pure]> {
  let summary = "Insert a dimension of size one";
  let description = [{
    ```mlir
    %b = tile.expand_dims %a axis 1 : tensor<128xf32> -> tensor<128x1xf32>
    ```

    - expand_dims.1: the result's shape is the source's with a one at `axis`.
  }];
  let arguments = (ins Tile_Block:$source, I32Attr:$axis);
  let results = (outs Tile_Block:$result);
  let assemblyFormat = "$source `axis` $axis attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Tile_ReshapeOp : Tile_Op<"reshape", [Pure]> {
  let summary = "The same elements, in row-major order, under another shape";
  let description = [{
    ```mlir
    %b = tile.reshape %a : tensor<128x64xf32> -> tensor<8192xf32>
    ```

    - reshape.1: source and result have the same number of elements and element type.
  }];
  let arguments = (ins Tile_Block:$source);
  let results = (outs Tile_Block:$result);
  let assemblyFormat = "$source attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Tile_TransposeOp : Tile_Op<"transpose", [Pure]> {
  let summary = "Permute the dimensions of a block";
  let description = [{
    Dimension `i` of the result is dimension `order[i]` of the source.

    ```mlir
    %b = tile.transpose %a order [1, 0] : tensor<64x32xf16> -> tensor<32x64xf16>
    ```

    - transpose.1: `order` has one entry per source dimension.
    - transpose.2: `order` is a permutation.
    - transpose.3: result sizes are the permuted source sizes.
  }];
  let arguments = (ins Tile_Block:$source, DenseI32ArrayAttr:$order);
  let results = (outs Tile_Block:$result);
  let assemblyFormat = "$source `order` $order attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
  let hasCanonicalizeMethod = 1;
}

def Tile_JoinOp : Tile_Op<"join", [Pure, AllTypesMatch<["first", "second"]>]> {
  let summary = "Two blocks side by side in a new last dimension of size two";
  let description = [{
    ```mlir
    %c = tile.join %a, %b : tensor<128xf32> -> tensor<128x2xf32>
    ```

    - join.1: the result's shape is the operands' with a two at the end.
  }];
  let arguments = (ins Tile_Block:$first, Tile_Block:$second);
  let results = (outs Tile_Block:$result);
  let assemblyFormat = "$first `,` $second attr-dict `:` type($first) `->` type($result)";
  let hasVerifier = 1;
}

def Tile_SplitOp : Tile_Op<"split", [Pure, AllTypesMatch<["first", "second"]>]> {
  let summary = "The two halves of a last dimension of size two";
  let description = [{
    ```mlir
    %a, %b = tile.split %c : tensor<128x2xf32> -> tensor<128xf32>
    ```

    - split.1: the source's shape is the results' with a two at the end.
  }];
  let arguments = (ins Tile_Block:$source);
  let results = (outs Tile_Value:$first, Tile_Value:$second);
  let assemblyFormat = "$source attr-dict `:` type($source) `->` type($first)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Tile_GatherOp : Tile_Op<"gather", [Pure]> {
  let summary = "Elements of a block at computed places along a dimension";
  let description = [{
    Element `(.., i, ..)` of the result is element `(.., index[.., i, ..], ..)`
    of the source, where `i` stands at `axis`. Where the index lies outside of
    the source, as an unsigned number, the last element is taken.

    ```mlir
    %c = tile.gather %a[%i] axis 1 : tensor<64x32xf32>, tensor<64x8xi32> -> tensor<64x8xf32>
    ```

    - gather.1: source and index have one rank, and `axis` is one of their dimensions.
    - gather.2: source and index have equal sizes off the axis.
    - gather.3: the result has the index's shape and the source's element type.
  }];
  let arguments = (ins Tile_Block:$source, RankedTensorOf<[AnySignlessInteger]>:$index,
                       I32Attr:$axis);
  let results = (outs Tile_Block:$result);
  let assemblyFormat = [{
    $source `[` $index `]` `axis` $axis attr-dict
    `:` type($source) `,` type($index) `->` type($result)
  }];
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Tile_CatOp : Tile_Op<"cat", [Pure]> {
  let summary = "Two blocks one after the other along a dimension";
  let description = [{
    ```mlir
    %c = tile.cat %a, %b axis 0 : tensor<64xf32>, tensor<32xf32> -> tensor<96xf32>
    ```

    - cat.1: the operands have one rank and element type, and `axis` is one of their dimensions.
    - cat.2: the result's shape is that of each operand, with their sizes along `axis` added.
  }];
  let arguments = (ins Tile_Block:$first, Tile_Block:$second, I32Attr:$axis);
  let results = (outs Tile_Block:$result);
  let assemblyFormat = [{
    $first `,` $second `axis` $axis attr-dict `:` type($first) `,` type($second) `->` type($result)
  }];
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Tile_ExtractOp : Tile_Op<"extract", [Pure]> {
  let summary = "A regular part of a block";
  let description = [{
    Element `(i, j, ..)` of the result is element
    `(offsets[0] + i * strides[0], offsets[1] + j * strides[1], ..)` of the
    source. A negative stride turns a dimension around.

    ```mlir
    %b = tile.extract %a offsets [0, 31] strides [2, -1] : tensor<64x32xf32> -> tensor<32x32xf32>
    ```

    - extract.1: source and result have one rank and element type.
    - extract.2: there is one offset and one stride per dimension.
    - extract.3: all elements of the result lie inside the source.
  }];
  let arguments = (ins Tile_Block:$source, DenseI64ArrayAttr:$offsets, DenseI64ArrayAttr:$strides);
  let results = (outs Tile_Block:$result);
  let assemblyFormat = [{
    $source `offsets` $offsets `strides` $strides attr-dict `:` type($source) `->` type($result)
  }];
  let hasVerifier = 1;
  let hasFolder = 1;
  let hasCanonicalizeMethod = 1;
}

def Tile_HintOp : Tile_Op<"hint", [Pure, AllTypesMatch<["source", "result"]>]> {
  let summary = "A promise about values";
  let description = [{
    Yields its operand. The programmer promises, per dimension (a scalar counts
    as one dimension): groups of `contiguity` elements are consecutive, groups
    of `constancy` elements are equal, the first element of each group of
    consecutive ones is a multiple of `divisibility`.

    ```mlir
    %j = tile.hint %i divisibility [16] : tensor<128xi32>
    ```

    - hint.1: each list has one positive entry per dimension.
  }];
  let arguments = (ins Tile_Value:$source, OptionalAttr<DenseI64ArrayAttr>:$divisibility,
                       OptionalAttr<DenseI64ArrayAttr>:$contiguity,
                       OptionalAttr<DenseI64ArrayAttr>:$constancy);
  let results = (outs Tile_Value:$result);
  let assemblyFormat = [{
    $source (`divisibility` $divisibility^)? (`contiguity` $contiguity^)?
    (`constancy` $constancy^)? attr-dict `:` type($source)
  }];
  let hasVerifier = 1;
}

#endif // TILE_SHAPE_OPS_TD
