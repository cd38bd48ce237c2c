// Ops that the compiler makes while it schedules a kernel; no user writes them.
#ifndef TILE_STAGE_OPS_TD
#define TILE_STAGE_OPS_TD

include "TileTypes.td"
include "TileAttributes.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Tile_ConvertLayoutOp : Tile_Op<"convert_layout", [Pure, Elementwise,
                                                      SameOperandsAndResultShape,
                                                      SameOperandsAndResultElementType]> {
  let summary = "The same block, held by other threads";
  let description = [{
    ```mlir
    %b = tile.convert_layout %a : tensor<128xf32, #a> -> tensor<128xf32, #b>
    ```
  }];
  let arguments = (ins Tile_Block:$source);
  let results = (outs Tile_Block:$result);
  let assemblyFormat = "$source attr-dict `:` type($source) `->` type($result)";
  let hasFolder = 1;
}

//===----------------------------------------------------------------------===//
// On-chip memory
//===----------------------------------------------------------------------===//

def Tile_BufferAllocOp : Tile_Op<"buffer_alloc"> {
  let summary = "On-chip memory for the rest of the program's life";
  let description = [{
    `offset` is its place in the program's on-chip memory in bytes, once it is
    planned: buffers that are never in use together may share bytes. The content
    is undefined until something is written.

    ```mlir
    %b = tile.buffer_alloc offset 1024 : !tile.buffer<3x128x64xf16, #layout>
    ```

    - buffer_alloc.1: `offset` is not negative.
  }];
  let arguments = (ins OptionalAttr<ConfinedAttr<I32Attr, [IntNonNegative]>>:$offset);
  let results = (outs Res<Tile_BufferType, "", [MemAlloc]>:$buffer);
  let assemblyFormat = "(`offset` $offset^)? attr-dict `:` qualified(type($buffer))";
}

def Tile_BufferViewOp : Tile_Op<"buffer_view", [Pure,
    TypesMatchWith<"result is one block of the stack", "source", "result",
                   "::mlir::cast<::tile::BufferType>($_self).getBlockType()">]> {
  let summary = "One block of a stack of buffers";
  let description = [{
    The index is below the number of blocks.

    ```mlir
    %v = tile.buffer_view %b[%i] : !tile.buffer<3x128x64xf16, #layout>
    ```

    - buffer_view.1: the source is a stack.
  }];
  let arguments = (ins Tile_BufferType:$source, I32:$index);
  let results = (outs Tile_BufferType:$result);
  let assemblyFormat = "$source `[` $index `]` attr-dict `:` qualified(type($source))";
  let hasVerifier = 1;
}

def Tile_BufferLoadOp : Tile_Op<"buffer_load"> {
  let summary = "Read a block from on-chip memory";
  let description = [{
    ```mlir
    %x = tile.buffer_load %v : !tile.buffer<128x64xf16, #memory> -> tensor<128x64xf16, #layout>
    ```

    - buffer_load.1: buffer and block have the same shape and element type.
  }];
  let arguments = (ins Arg<Tile_BufferType, "", [MemRead]>:$buffer);
  let results = (outs Tile_Block:$result);
  let assemblyFormat = "$buffer attr-dict `:` qualified(type($buffer)) `->` type($result)";
  let hasVerifier = 1;
}

def Tile_BufferStoreOp : Tile_Op<"buffer_store"> {
  let summary = "Write a block to on-chip memory";
  let description = [{
    ```mlir
    tile.buffer_store %x, %v : tensor<128x64xf16, #layout> -> !tile.buffer<128x64xf16, #memory>
    ```

    - buffer_store.1: buffer and block have the same shape and element type.
  }];
  let arguments = (ins Tile_Block:$value, Arg<Tile_BufferType, "", [MemWrite]>:$buffer);
  let assemblyFormat = "$value `,` $buffer attr-dict `:` type($value) `->` qualified(type($buffer))";
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Asynchronous copies
//===----------------------------------------------------------------------===//

def Tile_AsyncCopyOp : Tile_Op<"async_copy", [
    TypesMatchWith<"result is the buffer in flight", "buffer", "result",
                   "::tile::PendingType::get($_self)">]> {
  let summary = "Start copying a block from global to on-chip memory";
  let description = [{
    Each element of the buffer is read through its pointer. Where the mask is
    false there is no access, and zero is written. The layout of the pointers
    says which thread copies what, as many consecutive elements at a time as
    one of the target's `async_copy_bytes` holds.

    ```mlir
    %p = tile.async_copy %pointers, %v mask %m
        : tensor<128x64x!tile.ptr<f16>, #layout> -> !tile.buffer<128x64xf16, #memory>
    ```

    - async_copy.1: pointers and buffer have the same shape, and the pointee is the element.
    - async_copy.2: `mask` is a boolean of the pointer's shape.
  }];
  let arguments = (ins RankedTensorOf<[Tile_PtrType]>:$pointer,
                       Arg<Tile_BufferType, "", [MemWrite]>:$buffer, Optional<Tile_BoolLike>:$mask,
                       DefaultValuedAttr<Tile_CacheModifierAttr, "CacheModifier::None">:$cache,
                       DefaultValuedAttr<Tile_EvictionPolicyAttr, "EvictionPolicy::Normal">:$eviction);
  let results = (outs Tile_PendingType:$result);
  let assemblyFormat = [{
    $pointer `,` $buffer (`mask` $mask^)? attr-dict `:`
    custom<MaskedType>(ref($mask), type($pointer), type($mask)) `->` qualified(type($buffer))
  }];
  let hasVerifier = 1;
}

def Tile_CommitOp : Tile_Op<"commit", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Close a group of asynchronous copies";
  let description = [{
    Every copy that was started since the last `tile.commit` belongs to the
    group; the operands are those whose completion somebody awaits. They are
    returned as values that `tile.await` accepts. A group may be empty.

    ```mlir
    %q:2 = tile.commit(%p0, %p1) : !tile.pending<!b>, !tile.pending<!b>
    ```

    - commit.1: results have the operands' types.
  }];
  let arguments = (ins Variadic<Tile_PendingType>:$pending);
  let results = (outs Variadic<Tile_PendingType>:$committed);
  let assemblyFormat = [{
    `(` $pending `)` attr-dict custom<CommittedTypes>(type($pending), type($committed))
  }];
  let hasVerifier = 1;
  let builders = [OpBuilder<(ins "::mlir::ValueRange":$pending)>];
}

def Tile_AwaitOp : Tile_Op<"await", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Wait for groups of asynchronous copies, and get what they wrote";
  let description = [{
    Returns once at most the `in_flight` latest groups of this thread are
    unfinished; the operands belong to older ones. What *other* threads copied
    is visible only after a `tile.barrier`, which the compiler places.

    ```mlir
    %v:2 = tile.await(%q0, %q1) in_flight 2 : !tile.pending<!b>, !tile.pending<!b>
    ```

    - await.1: results are what the operands promise.
  }];
  let arguments = (ins Variadic<Tile_PendingType>:$pending,
                       ConfinedAttr<I32Attr, [IntNonNegative]>:$inFlight);
  let results = (outs Variadic<AnyType>:$values);
  let assemblyFormat = [{
    `(` $pending `)` `in_flight` $inFlight attr-dict custom<AwaitedTypes>(type($pending), type($values))
  }];
  let hasVerifier = 1;
  let builders = [OpBuilder<(ins "::mlir::ValueRange":$pending, "int32_t":$inFlight)>];
}

#endif // TILE_STAGE_OPS_TD
