// Pointers and access to global memory.
#ifndef TILE_MEMORY_OPS_TD
#define TILE_MEMORY_OPS_TD

include "TileTypes.td"
include "TileAttributes.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Tile_AddPtrOp : Tile_Op<"addptr", [Pure, Elementwise, SameOperandsAndResultShape,
                                       AllTypesMatch<["pointer", "result"]>]> {
  let summary = "Advance pointers by element counts";
  let description = [{
    The offset is sign-extended to 64 bits and counts elements of the pointee.

    ```mlir
    %q = tile.addptr %p, %offset : tensor<128x!tile.ptr<f32>>, tensor<128xi32>
    ```
  }];
  let arguments = (ins Tile_PtrLike:$pointer, Tile_IntLike:$offset);
  let results = (outs Tile_PtrLike:$result);
  let assemblyFormat = "$pointer `,` $offset attr-dict `:` type($pointer) `,` type($offset)";
  let hasFolder = 1;
}

def Tile_LoadOp : Tile_Op<"load", [AttrSizedOperandSegments,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
    TypesMatchWith<"result has the pointee's type", "pointer", "result",
                   "::tile::getPointeeLike($_self)">]> {
  let summary = "Read elements through pointers";
  let description = [{
    Lanes whose mask is false make no access and yield `other`, or zero where
    `other` is not given.

    ```mlir
    %x = tile.load %p mask %m other %zero : tensor<128x!tile.ptr<f32>>
    ```

    - load.1: `mask` is a boolean of the pointer's shape.
    - load.2: `other` has the result's type, and comes with a mask.
  }];
  let arguments = (ins Tile_PtrLike:$pointer, Optional<Tile_BoolLike>:$mask,
                       Optional<Tile_Value>:$other,
                       DefaultValuedAttr<Tile_CacheModifierAttr, "CacheModifier::None">:$cache,
                       DefaultValuedAttr<Tile_EvictionPolicyAttr, "EvictionPolicy::Normal">:$eviction,
                       UnitAttr:$isVolatile);
  let results = (outs Tile_Value:$result);
  let assemblyFormat = [{
    $pointer (`mask` $mask^)? (`other` $other^)? (`volatile` $isVolatile^)? attr-dict `:`
    custom<MaskedTypes>(ref($mask), ref($other), type($pointer), type($mask), type($other))
  }];
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Tile_StoreOp : Tile_Op<"store", [MemoryEffects<[MemWrite]>,
    TypesMatchWith<"value has the pointee's type", "pointer", "value",
                   "::tile::getPointeeLike($_self)">]> {
  let summary = "Write elements through pointers";
  let description = [{
    Lanes whose mask is false make no access. Of several lanes that write one
    address, an unspecified one wins.

    ```mlir
    tile.store %p, %x mask %m : tensor<128x!tile.ptr<f32>>
    ```

    - store.1: `mask` is a boolean of the pointer's shape.
  }];
  let arguments = (ins Tile_PtrLike:$pointer, Tile_Value:$value, Optional<Tile_BoolLike>:$mask,
                       DefaultValuedAttr<Tile_CacheModifierAttr, "CacheModifier::None">:$cache,
                       DefaultValuedAttr<Tile_EvictionPolicyAttr, "EvictionPolicy::Normal">:$eviction);
  let assemblyFormat = [{
    $pointer `,` $value (`mask` $mask^)? attr-dict `:`
    custom<MaskedType>(ref($mask), type($pointer), type($mask))
  }];
  let hasVerifier = 1;
  let hasCanonicalizeMethod = 1;
}

def Tile_PtrToIntOp : Tile_Op<"ptr_to_int", [Pure, Elementwise, SameOperandsAndResultShape]> {
  let summary = "The address as a 64-bit integer";
  let description = [{
    ```mlir
    %i = tile.ptr_to_int %p : !tile.ptr<f32> -> i64
    ```
  }];
  let arguments = (ins Tile_PtrLike:$source);
  let results = (outs AnyTypeOf<[I64, RankedTensorOf<[I64]>]>:$result);
  let assemblyFormat = "$source attr-dict `:` type($source) `->` type($result)";
}

def Tile_IntToPtrOp : Tile_Op<"int_to_ptr", [Pure, Elementwise, SameOperandsAndResultShape]> {
  let summary = "A 64-bit integer as an address";
  let description = [{
    `tile.read_only` is a promise of the programmer: nobody writes what the pointer
    points to while the kernel runs.

    ```mlir
    %p = tile.int_to_ptr %i : i64 -> !tile.ptr<f32>
    %q = tile.int_to_ptr %j {tile.read_only} : i64 -> !tile.ptr<f32>
    ```
  }];
  let arguments = (ins AnyTypeOf<[I64, RankedTensorOf<[I64]>]>:$source);
  let results = (outs Tile_PtrLike:$result);
  let assemblyFormat = "$source attr-dict `:` type($source) `->` type($result)";
}

def Tile_CastPtrOp : Tile_Op<"cast_ptr", [Pure, Elementwise, SameOperandsAndResultShape]> {
  let summary = "The same address with another pointee";
  let description = [{
    ```mlir
    %q = tile.cast_ptr %p : !tile.ptr<f32> -> !tile.ptr<i8>
    ```
  }];
  let arguments = (ins Tile_PtrLike:$source);
  let results = (outs Tile_PtrLike:$result);
  let assemblyFormat = "$source attr-dict `:` type($source) `->` type($result)";
  let hasFolder = 1;
}

#endif // TILE_MEMORY_OPS_TD
