// Ops that the compiler makes while it schedules a kernel; no user writes them.
#ifndef TILE_STAGE_OPS_TD
#define TILE_STAGE_OPS_TD

include "TileTypes.td"
include "TileAttributes.td"
include "TileInterfaces.td"
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

def Tile_BufferTransposeOp : Tile_Op<"buffer_transpose", [Pure]> {
  let summary = "The same bytes with the dimensions in another order";
  let description = [{
    Dimension i of the result is dimension `order[i]` of the source. Those of size 1 may be
    left out.

    ```mlir
    %t = tile.buffer_transpose %v order [1, 0]
        : !tile.buffer<128x64xf16, #rows> -> !tile.buffer<64x128xf16, #columns>
    ```

    - buffer_transpose.1: the source is one block, and `order` permutes its dimensions, or all
      but some of size 1.
    - buffer_transpose.2: the result is the source's type with its dimensions so ordered.
  }];
  let arguments = (ins Tile_BufferType:$source, DenseI32ArrayAttr:$order);
  let results = (outs Tile_BufferType:$result);
  let assemblyFormat = [{
    $source `order` $order attr-dict `:` qualified(type($source)) `->` qualified(type($result))
  }];
  let hasVerifier = 1;
  let builders = [OpBuilder<(ins "::mlir::Value":$source, "::llvm::ArrayRef<int32_t>":$order)>];
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

//===----------------------------------------------------------------------===//
// Asynchronous products
//===----------------------------------------------------------------------===//

def Tile_AsyncDotOp : Tile_Op<"async_dot", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Start a matrix product by a unit that reads on-chip memory";
  let description = [{
    `tile.dot` by a unit that fetches operand B, and A too unless registers hold
    it, from on-chip memory while the program goes on. Neither buffers nor the
    accumulator may be touched before `tile.await_dots` says that the product is
    complete; but another product may accumulate on one in flight. Each product
    is a group of its own for `tile.await_dots`.

    With `maxImpreciseAcc`, of a unit that rounds sums, the sum of so many products
    is added to the accumulator outside of the unit; all is complete then.

    ```mlir
    %d = tile.async_dot %a, %b, %acc unit(#some.unit)
        : !tile.buffer<128x64xf16, #memory>, !tile.buffer<64x256xf16, #memory>
        -> !tile.pending<tensor<128x256xf32, #acc>>
    ```

    - async_dot.1: the operands are matrices: the columns of `a` are the rows of
      `b`, and the accumulator has the rows of `a` and the columns of `b`.
    - async_dot.2: the accumulator is what the result promises, or still in flight.
    - async_dot.3: the unit accepts the product, and reads on-chip memory.
  }];
  let arguments = (ins AnyTypeOf<[Tile_Block, Tile_BufferType]>:$a,
                       Arg<Tile_BufferType, "", [MemRead]>:$b,
                       AnyTypeOf<[Tile_Block, Tile_PendingType]>:$acc,
                       Tile_MatmulUnit:$unit,
                       DefaultValuedAttr<Tile_InputPrecisionAttr, "InputPrecision::IEEE">:$precision,
                       UnitAttr:$isUnsigned,
                       DefaultValuedAttr<I32Attr, "0">:$maxImpreciseAcc);
  let results = (outs Tile_PendingType:$result);
  let assemblyFormat = [{
    $a `,` $b `,` $acc `unit` `(` $unit `)` (`precision` $precision^)? (`unsigned` $isUnsigned^)? attr-dict
    `:` qualified(type($a)) `,` qualified(type($b)) `,` qualified(type($acc)) `->`
    qualified(type($result))
  }];
  let extraClassDeclaration = [{
    /// What the unit has to compute.
    MatmulProblem getProblem();
    /// The accumulators, as they are once the product is complete.
    ::mlir::RankedTensorType getBlockType() {
      return ::mlir::cast<::mlir::RankedTensorType>(getType().getValue());
    }
  }];
  let hasVerifier = 1;
}

def Tile_PendOp : Tile_Op<"pend", [Pure,
    TypesMatchWith<"result promises the operand's type", "value", "result",
                   "::tile::PendingType::get($_self)">]> {
  let summary = "Accumulators as those of products in flight";
  let description = [{
    What a loop begins with that carries products in flight: none yet.

    ```mlir
    %p = tile.pend %zero : tensor<128x256xf32, #acc>
    ```
  }];
  let arguments = (ins Tile_Block:$value);
  let results = (outs Tile_PendingType:$result);
  let assemblyFormat = "$value attr-dict `:` type($value)";
}

def Tile_AwaitDotsOp : Tile_Op<"await_dots", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Wait for matrix products";
  let description = [{
    Returns once at most the `in_flight` latest products are incomplete. Takes
    every accumulator in flight, and returns each as a value if it is complete
    then, else still as a pending one. Buffers that complete products read may be
    written again, by other threads after a `tile.barrier`.

    ```mlir
    %s = tile.await_dots(%p, %q) in_flight 1
        : !tile.pending<tensor<64x64xf32, #s>>, !tile.pending<tensor<64x128xf32, #o>>
        -> tensor<64x64xf32, #s>, !tile.pending<tensor<64x128xf32, #o>>
    ```

    - await_dots.1: each result is what its operand promises, or still pending.
    - await_dots.2: with none in flight, no result is pending.
  }];
  let arguments = (ins Variadic<Tile_PendingType>:$pending,
                       ConfinedAttr<I32Attr, [IntNonNegative]>:$inFlight);
  let results = (outs Variadic<AnyTypeOf<[Tile_Block, Tile_PendingType]>>:$values);
  let assemblyFormat = [{
    `(` $pending `)` `in_flight` $inFlight attr-dict `:` qualified(type($pending)) `->`
    qualified(type($values))
  }];
  let hasVerifier = 1;
}

#endif // TILE_STAGE_OPS_TD
