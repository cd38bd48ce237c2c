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

#endif // NVIDIA_OPS_TD
