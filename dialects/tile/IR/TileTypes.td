// Types of the `tile` dialect and the constraints that its ops share.
#ifndef TILE_TYPES_TD
#define TILE_TYPES_TD

include "TileDialect.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/CommonTypeConstraints.td"
include "mlir/IR/BuiltinTypeInterfaces.td"

class Tile_Type<string name, string typeMnemonic, list<Trait> traits = []>
    : TypeDef<Tile_Dialect, name, traits> {
  let mnemonic = typeMnemonic;
}

def Tile_PtrType : Tile_Type<"Ptr", "ptr"> {
  let summary = "Address of an element in global memory";
  let description = [{
    Offsets are counted in elements and are 64 bits wide; a boolean (`i1`)
    element takes one byte. The pointee is an integer, a float or a pointer.

    ```mlir
    !tile.ptr<f32>
    ```
  }];
  let parameters = (ins "::mlir::Type":$pointee);
  let assemblyFormat = "`<` $pointee `>`";
  let builders = [TypeBuilderWithInferredContext<(ins "::mlir::Type":$pointee), [{
    return $_get(pointee.getContext(), pointee);
  }]>];
  let genVerifyDecl = 1;
}

def Tile_DescType : Tile_Type<"Desc", "desc"> {
  let summary = "An array in global memory, of which programs access blocks";
  let description = [{
    A descriptor holds the base address of an array, its sizes (`i32`) and the
    strides of all dimensions but the last (`i64`, in elements), whose stride is
    one. The type states the shape of the blocks, and what elements outside of
    the array read as: zero, or NaN where `nan` is stated. With `tf32`, elements
    are rounded to the 19 bits of that format when they are loaded.

    A kernel may have descriptors as arguments: the host makes them. Their base
    is then divisible by 16 bytes, and so are the strides.

    ```mlir
    !tile.desc<128x64xf16>
    !tile.desc<32x32xf32, nan, tf32>
    ```

    - desc.1: one to five dimensions, each of a positive size.
    - desc.2: the element is an integer or a float of 8 to 64 bits.
    - desc.3: `nan` is for floats, `tf32` for `f32`.
  }];
  let parameters = (ins ArrayRefParameter<"int64_t">:$shape, "::mlir::Type":$elementType,
                        "bool":$nanPadding, "bool":$tf32);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    int64_t getRank() const { return static_cast<int64_t>(getShape().size()); }
    /// The type of one block of the array.
    ::mlir::RankedTensorType getBlockType() const;
  }];
}

def Tile_BufferType : Tile_Type<"Buffer", "buffer"> {
  let summary = "On-chip memory of a program";
  let description = [{
    One block, or a stack of them where the shape has one dimension more than
    the layout: `!tile.buffer<3x128x64xf16, #layout>` is three blocks of 128x64,
    each laid out as `#layout` says, one behind the other.

    - buffer.1: the layout maps `offset` alone, injectively.
    - buffer.2: the layout covers the shape, or the shape without its first dimension.
    - buffer.3: the element is an integer or a float.
  }];
  let parameters = (ins ArrayRefParameter<"int64_t">:$shape, "::mlir::Type":$elementType,
                        "::tile::LayoutAttr":$layout);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// Whether the first dimension counts blocks.
    bool isStack() const;
    /// The shape of one block.
    ::llvm::ArrayRef<int64_t> getBlockShape() const;
    int64_t getNumBlocks() const { return isStack() ? getShape().front() : 1; }
    /// The type of one block of a stack.
    BufferType getBlockType() const;
    /// Bytes of an element; booleans take one.
    int64_t getElementBytes() const;
    /// Bytes from one block of a stack to the next.
    int64_t getBlockBytes() const;
    int64_t getBytes() const { return getNumBlocks() * getBlockBytes(); }
  }];
}

def Tile_PendingType : Tile_Type<"Pending", "pending"> {
  let summary = "A value that an operation in flight is still writing";
  let description = [{
    Only `tile.await` turns it into the value.

    ```mlir
    !tile.pending<!tile.buffer<128x64xf16, #layout>>
    ```

    - pending.1: the value is a buffer or a block.
  }];
  let parameters = (ins "::mlir::Type":$value);
  let assemblyFormat = "`<` $value `>`";
  let builders = [TypeBuilderWithInferredContext<(ins "::mlir::Type":$value), [{
    return $_get(value.getContext(), value);
  }]>];
  let genVerifyDecl = 1;
}

def Tile_SignalsType : Tile_Type<"Signals", "signals"> {
  let summary = "Counters on chip by which threads and copies tell each other how far they are";
  let description = [{
    A signal counts arrivals, and bytes that copies bring. When all that a phase
    takes are there the phase is complete, and the next one begins. Waiting is for
    a phase of given parity: 0 for the first, third, ...; 1 for the others. A fresh
    signal counts as having completed a phase of parity 1.

    ```mlir
    !tile.signals<3>
    ```

    - signals.1: there is at least one.
  }];
  let parameters = (ins "int64_t":$count);
  let assemblyFormat = "`<` $count `>`";
  let genVerifyDecl = 1;
}

// A scalar, or a block of scalars, of one of the kinds that programs compute with.
def Tile_ElementType : AnyTypeOf<[AnySignlessInteger, AnyFloat, Tile_PtrType]>;
def Tile_Value : AnyTypeOf<[Tile_ElementType, RankedTensorOf<[Tile_ElementType]>],
                           "a scalar or a block">;
def Tile_Block : RankedTensorOf<[Tile_ElementType]>;
def Tile_PtrLike : AnyTypeOf<[Tile_PtrType, RankedTensorOf<[Tile_PtrType]>],
                             "a pointer or a block of pointers">;
def Tile_IntLike : AnyTypeOf<[AnySignlessInteger, RankedTensorOf<[AnySignlessInteger]>],
                             "an integer or a block of integers">;
def Tile_FloatLike : AnyTypeOf<[AnyFloat, RankedTensorOf<[AnyFloat]>],
                               "a float or a block of floats">;
def Tile_NumberLike : AnyTypeOf<[AnySignlessInteger, AnyFloat,
                                 RankedTensorOf<[AnySignlessInteger, AnyFloat]>],
                                "a number or a block of numbers">;
def Tile_BoolLike : AnyTypeOf<[I1, RankedTensorOf<[I1]>], "a boolean or a block of booleans">;

#endif // TILE_TYPES_TD
