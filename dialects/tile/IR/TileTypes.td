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
