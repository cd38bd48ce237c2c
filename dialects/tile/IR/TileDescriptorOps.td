// Access to arrays in global memory, block by block, through descriptors.
#ifndef TILE_DESCRIPTOR_OPS_TD
#define TILE_DESCRIPTOR_OPS_TD

include "TileTypes.td"
include "TileAttributes.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Tile_MakeDescriptorOp : Tile_Op<"make_descriptor", [Pure, AttrSizedOperandSegments]> {
  let summary = "Describe an array in global memory";
  let description = [{
    The strides are those of all dimensions but the last, whose stride is one.

    ```mlir
    %d = tile.make_descriptor %base sizes[%m, %n] strides[%s]
        : !tile.ptr<f16> -> !tile.desc<128x64xf16>
    ```

    - make_descriptor.1: one size for each dimension.
    - make_descriptor.2: one stride for each dimension but the last.
    - make_descriptor.3: the base points to the descriptor's elements.
  }];
  let arguments = (ins Tile_PtrType:$base, Variadic<I32>:$sizes, Variadic<I64>:$strides);
  let results = (outs Tile_DescType:$result);
  let assemblyFormat = [{
    $base `sizes` `[` $sizes `]` `strides` `[` $strides `]` attr-dict `:`
    qualified(type($base)) `->` qualified(type($result))
  }];
  let hasVerifier = 1;
}

class Tile_DescriptorFieldOp<string mnemonic, Type type> : Tile_Op<mnemonic, [Pure]> {
  let arguments = (ins Tile_DescType:$desc, ConfinedAttr<I32Attr, [IntNonNegative]>:$dim);
  let results = (outs type:$result);
  let assemblyFormat = "$desc `dim` $dim attr-dict `:` qualified(type($desc))";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Tile_DescriptorBaseOp : Tile_Op<"descriptor_base", [Pure,
    TypesMatchWith<"result points to the elements", "desc", "result",
                   "::tile::PtrType::get(::mlir::cast<::tile::DescType>($_self).getElementType())">]> {
  let summary = "Address of the first element of a descriptor's array";
  let description = [{
    ```mlir
    %p = tile.descriptor_base %d : !tile.desc<128x64xf16>
    ```
  }];
  let arguments = (ins Tile_DescType:$desc);
  let results = (outs Tile_PtrType:$result);
  let assemblyFormat = "$desc attr-dict `:` qualified(type($desc))";
  let hasFolder = 1;
}

def Tile_DescriptorSizeOp : Tile_DescriptorFieldOp<"descriptor_size", I32> {
  let summary = "Size of one dimension of a descriptor's array";
  let description = [{
    ```mlir
    %n = tile.descriptor_size %d dim 1 : !tile.desc<128x64xf16>
    ```

    - descriptor_size.1: the descriptor has the dimension.
  }];
}

def Tile_DescriptorStrideOp : Tile_DescriptorFieldOp<"descriptor_stride", I64> {
  let summary = "Elements from one index to the next of one dimension";
  let description = [{
    ```mlir
    %s = tile.descriptor_stride %d dim 0 : !tile.desc<128x64xf16>
    ```

    - descriptor_stride.1: the dimension is not the last, whose stride is one.
  }];
}

def Tile_DescriptorLoadOp : Tile_Op<"descriptor_load", [MemoryEffects<[MemRead]>]> {
  let summary = "Read a block of an array";
  let description = [{
    The indices are those of the block's first element, and may be negative.
    Elements outside of the array read as the descriptor's padding.

    ```mlir
    %x = tile.descriptor_load %d[%i, %j] : !tile.desc<128x64xf16>
    ```

    - descriptor_load.1: one index for each dimension.
    - descriptor_load.2: the result is a block of the descriptor's, in any layout.
  }];
  let arguments = (ins Tile_DescType:$desc, Variadic<I32>:$indices);
  let results = (outs Tile_Block:$result);
  let assemblyFormat = [{
    $desc `[` $indices `]` attr-dict `:` custom<DescriptorBlock>(type($desc), type($result))
  }];
  let hasVerifier = 1;
}

def Tile_DescriptorStoreOp : Tile_Op<"descriptor_store", [MemoryEffects<[MemWrite]>]> {
  let summary = "Write a block of an array";
  let description = [{
    Elements outside of the array are not written.

    ```mlir
    tile.descriptor_store %d[%i, %j], %x : !tile.desc<128x64xf16>
    ```

    - descriptor_store.1: one index for each dimension.
    - descriptor_store.2: the value is a block of the descriptor's, in any layout.
  }];
  let arguments = (ins Tile_DescType:$desc, Variadic<I32>:$indices, Tile_Block:$value);
  let assemblyFormat = [{
    $desc `[` $indices `]` `,` $value attr-dict `:` custom<DescriptorBlock>(type($desc), type($value))
  }];
  let hasVerifier = 1;
}

def Tile_DescriptorReduceOp : Tile_Op<"descriptor_reduce", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Combine a block with what an array holds";
  let description = [{
    Each element is combined as one step, in no particular order and without
    ordering other accesses. Elements outside of the array are left out.

    ```mlir
    tile.descriptor_reduce fadd %d[%i, %j], %x : !tile.desc<128x64xf16>
    ```

    - descriptor_reduce.1: one index for each dimension.
    - descriptor_reduce.3: the value is a block of the descriptor's, in any layout.
    - descriptor_reduce.2: the kind is not `exchange`, and suits the element as in `atomic_rmw`.
  }];
  let arguments = (ins Tile_AtomicKindAttr:$kind, Tile_DescType:$desc, Variadic<I32>:$indices,
                       Tile_Block:$value);
  let assemblyFormat = [{
    $kind $desc `[` $indices `]` `,` $value attr-dict `:`
    custom<DescriptorBlock>(type($desc), type($value))
  }];
  let hasVerifier = 1;
}

def Tile_DescriptorGatherOp : Tile_Op<"descriptor_gather", [MemoryEffects<[MemRead]>]> {
  let summary = "Read rows of an array by their numbers";
  let description = [{
    Row `i` of the result is the block of one row at `rows[i]` and `column`.

    ```mlir
    %x = tile.descriptor_gather %d[%rows, %column]
        : !tile.desc<1x64xf16>, tensor<32xi32> -> tensor<32x64xf16>
    ```

    - descriptor_gather.1: the descriptor's blocks are one row.
    - descriptor_gather.2: the result has a row of the descriptor's for each entry of `rows`.
  }];
  let arguments = (ins Tile_DescType:$desc, 1DTensorOf<[I32]>:$rows, I32:$column);
  let results = (outs Tile_Block:$result);
  let assemblyFormat = [{
    $desc `[` $rows `,` $column `]` attr-dict `:` qualified(type($desc)) `,` type($rows) `->` type($result)
  }];
  let hasVerifier = 1;
}

def Tile_DescriptorScatterOp : Tile_Op<"descriptor_scatter", [MemoryEffects<[MemWrite]>]> {
  let summary = "Write rows of an array by their numbers";
  let description = [{
    Row `i` of the value goes to `rows[i]`, from `column` on. Of several values
    for one place, an unspecified one wins.

    ```mlir
    tile.descriptor_scatter %d[%rows, %column], %x
        : !tile.desc<1x64xf16>, tensor<32xi32>, tensor<32x64xf16>
    ```

    - descriptor_scatter.1: the descriptor's blocks are one row.
    - descriptor_scatter.2: the value has a row of the descriptor's for each entry of `rows`.
  }];
  let arguments = (ins Tile_DescType:$desc, 1DTensorOf<[I32]>:$rows, I32:$column,
                       Tile_Block:$value);
  let assemblyFormat = [{
    $desc `[` $rows `,` $column `]` `,` $value attr-dict `:` qualified(type($desc)) `,` type($rows) `,`
    type($value)
  }];
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Descriptors that a program makes for copies of whole blocks
//===----------------------------------------------------------------------===//

def Tile_DescriptorAllocOp : Tile_Op<"descriptor_alloc", [MemoryEffects<[MemRead, MemWrite]>,
    DeclareOpInterfaceMethods<InferTypeOpInterface>]> {
  let summary = "Places in global memory for descriptors that the program makes";
  let description = [{
    They are the program's own until `tile.descriptor_free`. All threads take part.
    Each will be like its template, of another array.

    ```mlir
    %d:2 = tile.descriptor_alloc %t, %u : !tile.desc<128x64xf16>, !tile.desc<256x64xf16>
    ```

    - descriptor_alloc.1: there is a template.
  }];
  let arguments = (ins Variadic<Tile_DescType>:$templates);
  let results = (outs Variadic<Tile_DescType>:$descriptors);
  let assemblyFormat = "$templates attr-dict `:` qualified(type($templates))";
  let hasVerifier = 1;
}

def Tile_DescriptorSetOp : Tile_Op<"descriptor_set", [MemoryEffects<[MemRead, MemWrite]>,
    AttrSizedOperandSegments, AllTypesMatch<["desc", "like"]>]> {
  let summary = "Make a descriptor of an array";
  let description = [{
    One thread of the role writes it, where no copy by it is in flight; that thread
    starts copies by it after `tile.descriptor_publish`. Base and strides are
    multiples of 16 bytes, sizes are positive.

    ```mlir
    tile.descriptor_set %d like %t, %base sizes[%m, %n] strides[%s]
        : !tile.desc<128x64xf16>, !tile.ptr<f16>
    ```

    - descriptor_set.1: the descriptor is one of `tile.descriptor_alloc`.
    - descriptor_set.2: one size for each dimension.
    - descriptor_set.3: one stride for each dimension but the last.
    - descriptor_set.4: the base points to the descriptor's elements.
  }];
  let arguments = (ins Tile_DescType:$desc, Tile_DescType:$like, Tile_PtrType:$base,
                       Variadic<I32>:$sizes, Variadic<I64>:$strides);
  let assemblyFormat = [{
    $desc `like` $like `,` $base `sizes` `[` $sizes `]` `strides` `[` $strides `]` attr-dict `:`
    qualified(type($desc)) `,` qualified(type($base))
  }];
  let hasVerifier = 1;
}

def Tile_DescriptorPublishOp : Tile_Op<"descriptor_publish", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Let copies see descriptors that were made";
  let description = [{
    The thread that made them starts copies by them from here on; for warps, all
    threads of the role do, after they have met.

    ```mlir
    tile.descriptor_publish %d, %e : !tile.desc<128x64xf16>, !tile.desc<256x64xf16>
    tile.descriptor_publish %d for_warps : !tile.desc<128x64xf16>
    ```

    - descriptor_publish.1: each is one of `tile.descriptor_alloc`.
  }];
  let arguments = (ins Variadic<Tile_DescType>:$descriptors, UnitAttr:$forWarps);
  let assemblyFormat = [{
    $descriptors (`for_warps` $forWarps^)? attr-dict `:` qualified(type($descriptors))
  }];
  let hasVerifier = 1;
}

def Tile_DescriptorFreeOp : Tile_Op<"descriptor_free", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Give the places of descriptors back";
  let description = [{
    One thread of the role does so, once all copies by them are complete.

    ```mlir
    tile.descriptor_free %d, %e : !tile.desc<128x64xf16>, !tile.desc<256x64xf16>
    ```

    - descriptor_free.1: they are all of one `tile.descriptor_alloc`.
  }];
  let arguments = (ins Variadic<Tile_DescType>:$descriptors);
  let assemblyFormat = "$descriptors attr-dict `:` qualified(type($descriptors))";
  let hasVerifier = 1;
}

#endif // TILE_DESCRIPTOR_OPS_TD
