// Attributes and enumerations of the `tile` dialect.
#ifndef TILE_ATTRIBUTES_TD
#define TILE_ATTRIBUTES_TD

include "TileDialect.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/TensorEncoding.td"

class Tile_Attr<string name, string attrMnemonic, list<Trait> traits = []>
    : AttrDef<Tile_Dialect, name, traits> {
  let mnemonic = attrMnemonic;
}

def Tile_TargetAttr : Tile_Attr<"Target", "target"> {
  let summary = "The machine that a module is compiled for, as data";
  let description = [{
    Passes read hardware facts from this attribute of the module and from
    nowhere else, so that a test states its machine in text. `facts` holds at
    least `lanes` (threads of a warp; 1 on a machine without warps). The shared
    passes read:

    | fact | meaning | where absent |
    |---|---|---|
    | `access_bits` | widest access of a lane to global memory | 128 |
    | `atomic_add_bits` | widest vector of floats that a lane adds to global memory, each element atomically | single elements |
    | `on_chip_bytes` | on-chip memory that a program may use | 48 KiB |
    | `async_copy_bytes` | array of the sizes of a lane's asynchronous copies | none |
    | `units` | array of matmul units, the preferred ones first | none |
    | `block_copy_box` | most elements of a dimension that a copy of a block moves | no such copies |
    | `descriptor_bytes` | bytes of a descriptor that a program makes itself | only the host makes them |
    | `matrix_stores` | 1: lanes store rows of matrices for each other | 0 |
    | `role_warps` | warps of which roles are made | no roles |
    | `program_blocks` | most thread blocks that share a program (`tile.num_ctas`) | 1 |
    | `program_registers` | registers that the warps of a program share out | they do not |

    ```mlir
    module attributes {tile.target = #tile.target<"name", "arch", {lanes = 32 : i32}>} {}
    ```
  }];
  let parameters = (ins StringRefParameter<"target folder's name">:$name,
                        StringRefParameter<"architecture">:$arch,
                        "::mlir::DictionaryAttr":$facts);
  let assemblyFormat = "`<` $name `,` $arch `,` $facts `>`";
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// The integer fact `key`, or `missing` where the target does not state it.
    int64_t getFact(::llvm::StringRef key, int64_t missing = 0) const;
    int64_t getLanes() const { return getFact("lanes", 1); }
    /// The matmul units of the machine, the preferred ones first.
    ::llvm::SmallVector<::tile::MatmulUnit> getUnits() const;
    /// Sizes in bytes of one lane's asynchronous copy; empty where there is none.
    ::llvm::SmallVector<int64_t> getAsyncCopyBytes() const;
  }];
}

def Tile_LayoutAttr : Tile_Attr<"Layout", "layout", [
    DeclareAttrInterfaceMethods<VerifiableTensorEncoding>]> {
  let summary = "Which thread, or which place of on-chip memory, holds each element";
  let description = [{
    A linear tile over the field of two elements, times integer repeats: the
    encoding of every tensor of the `scheduled` stage, with inputs `register`,
    `lane`, `warp`, `block`, and the layout of every buffer, with the input
    `offset`, counted in elements. First the shape of the tile, then for each
    input the coordinates that its bits move along, then what repeats the tile,
    from the inside out.

    ```mlir
    #layout = #tile.layout<[32, 16]: register = [[0, 1], [0, 2]], lane = [[0, 4], [0, 8], [1, 0], [2, 0], [4, 0]], warp = [[8, 0], [16, 0]], repeat = [register x 3 -> dim1]>
    ```

    - layout.1: a tensor's layout has its rank and covers its shape.
    - layout.2: a tensor's layout has no `offset`.
  }];
  let parameters = (ins AttrOrTypeParameter<"::tile::LinearLayout", "the map",
                                            "const ::tile::LinearLayout &">:$layout);
  let hasCustomAssemblyFormat = 1;
}

class Tile_Enum<string name, string summary, list<I32EnumAttrCase> cases>
    : I32EnumAttr<name, summary, cases> {
  let cppNamespace = "::tile";
  let genSpecializedAttr = 0;
}
class Tile_EnumAttr<EnumAttrInfo info, string mnemonic> : EnumAttr<Tile_Dialect, info, mnemonic>;

def Tile_CacheModifier : Tile_Enum<"CacheModifier", "Which caches an access should use", [
  I32EnumAttrCase<"None", 0, "none">, I32EnumAttrCase<"CA", 1, "ca">,
  I32EnumAttrCase<"CG", 2, "cg">, I32EnumAttrCase<"CS", 3, "cs">,
  I32EnumAttrCase<"CV", 4, "cv">, I32EnumAttrCase<"WB", 5, "wb">,
  I32EnumAttrCase<"WT", 6, "wt">]>;
def Tile_CacheModifierAttr : Tile_EnumAttr<Tile_CacheModifier, "cache">;

def Tile_EvictionPolicy : Tile_Enum<"EvictionPolicy", "How long a cache should keep the line", [
  I32EnumAttrCase<"Normal", 0, "normal">, I32EnumAttrCase<"First", 1, "evict_first">,
  I32EnumAttrCase<"Last", 2, "evict_last">]>;
def Tile_EvictionPolicyAttr : Tile_EnumAttr<Tile_EvictionPolicy, "eviction">;

def Tile_AtomicKind : Tile_Enum<"AtomicKind", "What an atomic operation does", [
  I32EnumAttrCase<"Add", 0, "add">, I32EnumAttrCase<"FAdd", 1, "fadd">,
  I32EnumAttrCase<"Max", 2, "max">, I32EnumAttrCase<"Min", 3, "min">,
  I32EnumAttrCase<"UMax", 4, "umax">, I32EnumAttrCase<"UMin", 5, "umin">,
  I32EnumAttrCase<"And", 6, "and">, I32EnumAttrCase<"Or", 7, "or">,
  I32EnumAttrCase<"Xor", 8, "xor">, I32EnumAttrCase<"Exchange", 9, "exchange">,
  I32EnumAttrCase<"FMax", 10, "fmax">, I32EnumAttrCase<"FMin", 11, "fmin">]>;
def Tile_AtomicKindAttr : Tile_EnumAttr<Tile_AtomicKind, "atomic">;

def Tile_MemorySemantic : Tile_Enum<"MemorySemantic", "Ordering of an atomic operation", [
  I32EnumAttrCase<"Relaxed", 0, "relaxed">, I32EnumAttrCase<"Acquire", 1, "acquire">,
  I32EnumAttrCase<"Release", 2, "release">, I32EnumAttrCase<"AcquireRelease", 3, "acq_rel">]>;
def Tile_MemorySemanticAttr : Tile_EnumAttr<Tile_MemorySemantic, "semantic">;

def Tile_MemoryScope : Tile_Enum<"MemoryScope", "Who observes the ordering", [
  I32EnumAttrCase<"CTA", 0, "cta">, I32EnumAttrCase<"GPU", 1, "gpu">,
  I32EnumAttrCase<"System", 2, "sys">]>;
def Tile_MemoryScopeAttr : Tile_EnumAttr<Tile_MemoryScope, "scope">;

def Tile_InputPrecision : Tile_Enum<"InputPrecision", "How f32 operands of a dot are read", [
  I32EnumAttrCase<"IEEE", 0, "ieee">, I32EnumAttrCase<"TF32", 1, "tf32">,
  I32EnumAttrCase<"TF32x3", 2, "tf32x3">, I32EnumAttrCase<"BF16x3", 3, "bf16x3">,
  I32EnumAttrCase<"BF16x6", 4, "bf16x6">]>;
def Tile_InputPrecisionAttr : Tile_EnumAttr<Tile_InputPrecision, "precision">;

def Tile_Rounding : Tile_Enum<"Rounding", "Rounding of a narrowing float conversion", [
  I32EnumAttrCase<"NearestEven", 0, "rtne">, I32EnumAttrCase<"TowardZero", 1, "rtz">]>;
def Tile_RoundingAttr : Tile_EnumAttr<Tile_Rounding, "rounding">;

#endif // TILE_ATTRIBUTES_TD
