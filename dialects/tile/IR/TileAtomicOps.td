// Accesses to global memory that other programs see as one step.
#ifndef TILE_ATOMIC_OPS_TD
#define TILE_ATOMIC_OPS_TD

include "TileTypes.td"
include "TileAttributes.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Tile_AtomicRMWOp : Tile_Op<"atomic_rmw", [MemoryEffects<[MemRead, MemWrite]>,
    TypesMatchWith<"value has the pointee's type", "pointer", "value",
                   "::tile::getPointeeLike($_self)">,
    TypesMatchWith<"result has the pointee's type", "pointer", "result",
                   "::tile::getPointeeLike($_self)">]> {
  let summary = "Read, combine and write elements as one step";
  let description = [{
    Yields the old values; lanes whose mask is false make no access and yield
    zero. Each lane of the block acts once.

    ```mlir
    %old = tile.atomic_rmw fadd %p, %x mask %m : tensor<128x!tile.ptr<f32>>
    ```

    - atomic_rmw.1: `mask` is a boolean of the pointer's shape.
    - atomic_rmw.2: `fadd`, `fmax` and `fmin` take floats, every other kind but
      `exchange` takes integers.

    `fmax` and `fmin` order floats by their sign and bits: -0 is below +0, and a
    NaN is beyond the infinity of its sign. So the outcome does not depend on the
    order in which programs act.
  }];
  let arguments = (ins Tile_AtomicKindAttr:$kind, Tile_PtrLike:$pointer, Tile_Value:$value,
                       Optional<Tile_BoolLike>:$mask,
                       DefaultValuedAttr<Tile_MemorySemanticAttr,
                                         "MemorySemantic::AcquireRelease">:$semantic,
                       DefaultValuedAttr<Tile_MemoryScopeAttr, "MemoryScope::GPU">:$scope);
  let results = (outs Tile_Value:$result);
  let assemblyFormat = [{
    $kind $pointer `,` $value (`mask` $mask^)? attr-dict `:`
    custom<MaskedType>(ref($mask), type($pointer), type($mask))
  }];
  let hasVerifier = 1;
}

def Tile_AtomicCASOp : Tile_Op<"atomic_cas", [MemoryEffects<[MemRead, MemWrite]>,
    TypesMatchWith<"expected has the pointee's type", "pointer", "expected",
                   "::tile::getPointeeLike($_self)">,
    TypesMatchWith<"desired has the pointee's type", "pointer", "desired",
                   "::tile::getPointeeLike($_self)">,
    TypesMatchWith<"result has the pointee's type", "pointer", "result",
                   "::tile::getPointeeLike($_self)">]> {
  let summary = "Write elements that hold an expected value";
  let description = [{
    Yields the old values. Values are compared by their bits.

    ```mlir
    %old = tile.atomic_cas %p, %expected, %desired : !tile.ptr<i32>
    ```
  }];
  let arguments = (ins Tile_PtrLike:$pointer, Tile_Value:$expected, Tile_Value:$desired,
                       DefaultValuedAttr<Tile_MemorySemanticAttr,
                                         "MemorySemantic::AcquireRelease">:$semantic,
                       DefaultValuedAttr<Tile_MemoryScopeAttr, "MemoryScope::GPU">:$scope);
  let results = (outs Tile_Value:$result);
  let assemblyFormat = "$pointer `,` $expected `,` $desired attr-dict `:` type($pointer)";
}

def Tile_AtomicLoadOp : Tile_Op<"atomic_load", [MemoryEffects<[MemRead, MemWrite]>,
    TypesMatchWith<"result has the pointee's type", "pointer", "result",
                   "::tile::getPointeeLike($_self)">]> {
  let summary = "Read elements in order with other accesses";
  let description = [{
    Lanes whose mask is false make no access and yield zero. With `acquire`, the
    default, later accesses of the program see what was written before the
    element was.

    ```mlir
    %x = tile.atomic_load %p mask %m : tensor<128x!tile.ptr<i32>>
    ```

    - atomic_load.1: `mask` is a boolean of the pointer's shape.
    - atomic_load.2: the ordering is `acquire` or `relaxed`.
  }];
  let arguments = (ins Tile_PtrLike:$pointer, Optional<Tile_BoolLike>:$mask,
                       DefaultValuedAttr<Tile_MemorySemanticAttr,
                                         "MemorySemantic::Acquire">:$semantic,
                       DefaultValuedAttr<Tile_MemoryScopeAttr, "MemoryScope::GPU">:$scope);
  let results = (outs Tile_Value:$result);
  let assemblyFormat = [{
    $pointer (`mask` $mask^)? attr-dict `:` custom<MaskedType>(ref($mask), type($pointer), type($mask))
  }];
  let hasVerifier = 1;
}

def Tile_AtomicStoreOp : Tile_Op<"atomic_store", [MemoryEffects<[MemRead, MemWrite]>,
    TypesMatchWith<"value has the pointee's type", "pointer", "value",
                   "::tile::getPointeeLike($_self)">]> {
  let summary = "Write elements in order with other accesses";
  let description = [{
    Lanes whose mask is false make no access. With `release`, the default, who
    acquires the element sees what the program wrote before.

    ```mlir
    tile.atomic_store %p, %x mask %m : tensor<128x!tile.ptr<i32>>
    ```

    - atomic_store.1: `mask` is a boolean of the pointer's shape.
    - atomic_store.2: the ordering is `release` or `relaxed`.
  }];
  let arguments = (ins Tile_PtrLike:$pointer, Tile_Value:$value, Optional<Tile_BoolLike>:$mask,
                       DefaultValuedAttr<Tile_MemorySemanticAttr,
                                         "MemorySemantic::Release">:$semantic,
                       DefaultValuedAttr<Tile_MemoryScopeAttr, "MemoryScope::GPU">:$scope);
  let assemblyFormat = [{
    $pointer `,` $value (`mask` $mask^)? attr-dict `:`
    custom<MaskedType>(ref($mask), type($pointer), type($mask))
  }];
  let hasVerifier = 1;
}

def Tile_AtomicPollOp : Tile_Op<"atomic_poll", [MemoryEffects<[MemRead, MemWrite]>,
    TypesMatchWith<"expected has the pointee's type", "pointer", "expected",
                   "::tile::getPointeeLike($_self)">]> {
  let summary = "Read an element again and again until it has a value";
  let description = [{
    Yields true once the element equals `expected`, or false when `timeout`
    nanoseconds have passed before that.

    ```mlir
    %done = tile.atomic_poll %p, %expected timeout %ns : !tile.ptr<i32>
    ```

    - atomic_poll.1: the element is an integer of 16, 32 or 64 bits.
    - atomic_poll.2: the ordering is `acquire` or `relaxed`.
  }];
  let arguments = (ins Tile_PtrType:$pointer, AnySignlessInteger:$expected,
                       Optional<I64>:$timeout,
                       DefaultValuedAttr<Tile_MemorySemanticAttr,
                                         "MemorySemantic::Acquire">:$semantic,
                       DefaultValuedAttr<Tile_MemoryScopeAttr, "MemoryScope::GPU">:$scope);
  let results = (outs I1:$result);
  let assemblyFormat = [{
    $pointer `,` $expected (`timeout` $timeout^)? attr-dict `:` qualified(type($pointer))
  }];
  let hasVerifier = 1;
}

#endif // TILE_ATOMIC_OPS_TD
