// Operations of the `nvidia` dialect.
#ifndef NVIDIA_OPS_TD
#define NVIDIA_OPS_TD

include "NvidiaDialect.td"
include "dialects/tile/IR/TileAttributes.td"
include "mlir/Dialect/LLVMIR/LLVMOpBase.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Nvidia_LoadOp : Nvidia_Op<"load", [AttrSizedOperandSegments, MemoryEffects<[MemRead]>,
    OptionalTypesMatchWith<"'other' has the result's type", "result", "other", "$_self">]> {
  let summary = "Predicated read of up to 16 bytes of global memory";
  let description = [{
    Reads the result from `address`, aligned to its size, where `predicate` is
    true or not given; else yields `other`, without an access.

    ```mlir
    %x = nvidia.load %p if %m else %zero cache ca : !llvm.ptr<1> -> vector<4xf32>
    ```

    - load.1: the result has 8, 16, 32, 64 or 128 bits.
    - load.2: `other` and a predicate come together.
  }];
  let arguments = (ins LLVM_AnyPointer:$address, Optional<I1>:$predicate, Optional<AnyType>:$other,
                       DefaultValuedAttr<Tile_CacheModifierAttr, "CacheModifier::None">:$cache,
                       DefaultValuedAttr<Tile_EvictionPolicyAttr, "EvictionPolicy::Normal">:$eviction,
                       UnitAttr:$isVolatile);
  let results = (outs AnyType:$result);
  let assemblyFormat = [{
    $address (`if` $predicate^ `else` $other)? (`cache` $cache^)? (`eviction` $eviction^)?
    (`volatile` $isVolatile^)? attr-dict `:` qualified(type($address)) `->` type($result)
  }];
  let hasVerifier = 1;
}

def Nvidia_StoreOp : Nvidia_Op<"store", [MemoryEffects<[MemWrite]>]> {
  let summary = "Predicated write of up to 16 bytes of global memory";
  let description = [{
    Writes `value` to `address`, aligned to its size, where `predicate` is true
    or not given.

    ```mlir
    nvidia.store %x, %p if %m cache cs : vector<4xf32>, !llvm.ptr<1>
    ```

    - store.1: the value has 8, 16, 32, 64 or 128 bits.
  }];
  let arguments = (ins AnyType:$value, LLVM_AnyPointer:$address, Optional<I1>:$predicate,
                       DefaultValuedAttr<Tile_CacheModifierAttr, "CacheModifier::None">:$cache,
                       DefaultValuedAttr<Tile_EvictionPolicyAttr, "EvictionPolicy::Normal">:$eviction);
  let assemblyFormat = [{
    $value `,` $address (`if` $predicate^)? (`cache` $cache^)? (`eviction` $eviction^)? attr-dict
    `:` type($value) `,` qualified(type($address))
  }];
  let hasVerifier = 1;
}

def Nvidia_AddOp : Nvidia_Op<"add", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Predicated additions to consecutive elements of global memory";
  let description = [{
    Adds each element of `value` to the one in memory, atomically by itself, where
    `predicate` is true or not given. `address` is aligned to the size of all. What
    was there is not known afterwards; nothing else is ordered by it.

    ```mlir
    nvidia.add %x, %p if %m scope gpu : vector<4xf32>, !llvm.ptr<1>
    ```

    - add.1: `value` is a vector of f32, f16 or bf16, of 32 (not f32), 64 or 128 bits.
  }];
  let arguments = (ins AnyType:$value, LLVM_AnyPointer:$address, Optional<I1>:$predicate,
                       Tile_MemoryScopeAttr:$scope);
  let assemblyFormat = [{
    $value `,` $address (`if` $predicate^)? `scope` $scope attr-dict
    `:` type($value) `,` qualified(type($address))
  }];
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Matrix products of four warps
//===----------------------------------------------------------------------===//

def Nvidia_WgmmaOp : Nvidia_Op<"wgmma", [AttrSizedOperandSegments,
                                         MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Start one matrix product of four warps";
  let description = [{
    Adds the product of a 64xk fragment of A and a kxn fragment of B to the
    accumulators, in flight; without them, the sum begins here. `types` are PTX's names of the accumulators', A's
    and B's elements. B, and A unless it is given in four registers, lie in
    on-chip memory from an address on, in columns of `swizzle` bytes along k, or
    (`transposed`) along the other dimension. `matrix` holds the bytes from one
    column to the next, those from eight rows to the next eight, and `swizzle`.
    With `opaque`, LLVM does not see that the operands' descriptors are the same in
    each iteration of a loop.

    ```mlir
    %d:4 = nvidia.wgmma a %a b %b acc(%c0, %c1, %c2, %c3) {types = "f32.f16.f16", n = 8 : i32,
      k = 16 : i32, matrixA = array<i32: 0, 1024, 128>, matrixB = array<i32: 0, 1024, 128>}
      : (!llvm.ptr<3>, !llvm.ptr<3>, f32, f32, f32, f32) -> (f32, f32, f32, f32)
    ```

    - wgmma.1: A has an address, or four registers.
    - wgmma.2: there are n / 2 results, n / 4 where they are pairs of f16, and as many accumulators or none.
    - wgmma.3: only operands of 16 bits are transposed.
  }];
  let arguments = (ins Optional<LLVM_AnyPointer>:$a, Variadic<I32>:$registersA, LLVM_AnyPointer:$b,
                       Variadic<AnyTypeOf<[F32, I32]>>:$acc, StrAttr:$types, I32Attr:$n, I32Attr:$k,
                       DefaultValuedAttr<DenseI32ArrayAttr, "{}">:$matrixA,
                       DenseI32ArrayAttr:$matrixB, UnitAttr:$transposedA, UnitAttr:$transposedB,
                       UnitAttr:$opaque);
  let results = (outs Variadic<AnyTypeOf<[F32, I32]>>:$results);
  let assemblyFormat = [{
    (`a` $a^)? (`registers` `(` $registersA^ `)`)? `b` $b (`acc` `(` $acc^ `)`)? attr-dict
    `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def Nvidia_WgmmaFenceOp : Nvidia_Op<"wgmma_fence", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "What registers hold is there for matrix products of four warps";
  let description = [{
    Takes and returns the registers that were written since the last products:
    nothing that writes one can move behind it.

    ```mlir
    %r:2 = nvidia.wgmma_fence (%a0, %a1) : (i32, i32) -> (i32, i32)
    ```
  }];
  let arguments = (ins Variadic<AnyTypeOf<[F32, I32]>>:$registers);
  let results = (outs Variadic<AnyTypeOf<[F32, I32]>>:$results);
  let assemblyFormat = "`(` $registers `)` attr-dict `:` functional-type($registers, $results)";
}

def Nvidia_WgmmaWaitOp : Nvidia_Op<"wgmma_wait", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Wait for matrix products of four warps";
  let description = [{
    Returns once at most the `in_flight` latest groups are incomplete. Takes and
    returns the accumulators of all: nothing that reads one can move before it.

    ```mlir
    %r:2 = nvidia.wgmma_wait (%d0, %d1) in_flight 0 : (f32, f32) -> (f32, f32)
    ```
  }];
  let arguments = (ins Variadic<AnyTypeOf<[F32, I32]>>:$registers, I32Attr:$inFlight);
  let results = (outs Variadic<AnyTypeOf<[F32, I32]>>:$results);
  let assemblyFormat = [{
    `(` $registers `)` `in_flight` $inFlight attr-dict `:` functional-type($registers, $results)
  }];
}

//===----------------------------------------------------------------------===//
// Signals
//===----------------------------------------------------------------------===//

def Nvidia_ArriveOp : Nvidia_Op<"arrive", [AttrSizedOperandSegments,
                                           MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Predicated arrival at an mbarrier";
  let description = [{
    Where `predicate` is true or not given. A branch around the instruction would
    end what the assembler takes for one stage of matrix products in flight. `block`:
    at the same address of that thread block of the cluster. Nobody reads memory of
    threads that this orders beyond the block, as a wider scope would promise at the
    cost of a fence: it says that copies may overwrite what was read.

    ```mlir
    nvidia.arrive %b if %p block %rank : !llvm.ptr<3>
    ```
  }];
  let arguments = (ins LLVM_AnyPointer:$address, Optional<I1>:$predicate, Optional<I32>:$block);
  let assemblyFormat = [{
    $address (`if` $predicate^)? (`block` $block^)? attr-dict `:` qualified(type($address))
  }];
}

//===----------------------------------------------------------------------===//
// Tensor maps
//===----------------------------------------------------------------------===//

def Nvidia_SetTensorMapOp : Nvidia_Op<"set_tensor_map", [MemoryEffects<[MemRead, MemWrite]>,
    AttrSizedOperandSegments]> {
  let summary = "Let a tensor map in on-chip memory describe another array";
  let description = [{
    Replaces the array's address, its sizes, and its strides in bytes, all of the
    fastest dimension first; the fastest one has no stride.

    ```mlir
    nvidia.set_tensor_map %map, %address sizes[%n, %m] strides[%s] : !llvm.ptr<3>
    ```
  }];
  let arguments = (ins LLVM_AnyPointer:$map, I64:$address, Variadic<I32>:$sizes,
                       Variadic<I64>:$strides);
  let assemblyFormat = [{
    $map `,` $address `sizes` `[` $sizes `]` `strides` `[` $strides `]` attr-dict `:`
    qualified(type($map))
  }];
}

#endif // NVIDIA_OPS_TD
