// What a target's attributes tell the shared passes about its hardware.
#ifndef TILE_INTERFACES_TD
#define TILE_INTERFACES_TD

include "mlir/IR/OpBase.td"

def Tile_MatmulUnit : AttrInterface<"MatmulUnit"> {
  let cppNamespace = "::tile";
  let description = [{
    One instruction that multiplies small matrices, or a family of them with one
    shape. The attribute lives in the dialect of its target; the target lists
    its units, the preferred ones first, as the fact `units`.

    A fragment is what the threads of a warp (or of several that act together)
    hold of one instruction's operand. `A` has the dimensions m, k; `B` k, n;
    the accumulator m, n. Blocks are covered by repeating the fragment.
  }];
  let methods = [
    InterfaceMethod<"Whether the unit computes this product exactly as asked: types, precision, "
                    "signedness, and a block whose k is a multiple of the instruction's.",
      "bool", "accepts", (ins "const ::tile::MatmulProblem &":$problem)>,
    InterfaceMethod<"m, n, k of one instruction.",
      "::std::array<int64_t, 3>", "getInstructionShape", (ins)>,
    InterfaceMethod<"The fragment of an operand, over register and lane (and warp).",
      "::tile::LinearLayout", "getFragment", (ins "::tile::MatmulOperand":$operand)>,
    InterfaceMethod<[{
      How lanes may fetch fragments of operand A or B from on-chip memory for
      each other, where elements of `elementBits` lie contiguously along k
      (`alongK`) or along the other dimension. Nothing: each lane for itself.
      }],
      "::std::optional<::tile::CollectiveAccess>", "getCollectiveRead",
      (ins "::tile::MatmulOperand":$operand, "bool":$alongK)>,
    InterfaceMethod<[{
      Emit one instruction per thread: `a`, `b` and `acc` are the registers of
      one fragment each, in order, as scalars of the block's element type.
      Returns the registers of the accumulator.
      }],
      "::llvm::SmallVector<::mlir::Value>", "emit",
      (ins "::mlir::OpBuilder &":$builder, "::mlir::Location":$loc,
           "const ::tile::MatmulProblem &":$problem, "::mlir::ValueRange":$a,
           "::mlir::ValueRange":$b, "::mlir::ValueRange":$acc)>,
    InterfaceMethod<[{
      Whether the unit fetches B from on-chip memory by itself, and A too unless
      it is given in registers, and completes later (`tile.async_dot`). A
      fragment then belongs to the warps that its layout has.
      }],
      "bool", "readsOnChip", (ins), "", "return false;">,
    InterfaceMethod<[{
      Whether such a unit keeps sums with fewer bits than accumulators have, so that
      to add parts of a sum elsewhere is more precise.
      }],
      "bool", "roundsSums", (ins), "", "return false;">,
    InterfaceMethod<"The unit with the widest instruction for `n` columns.",
      "::tile::MatmulUnit", "getWidest", (ins "int64_t":$n), "", "return $_attr;">,
    InterfaceMethod<[{
      The same instruction, of which lanes have twice as many consecutive elements along k: for
      operands that are read as elements of half the width. Both operands have their k in the
      same other order, which changes no sum but for its rounding. Null: there is none.
      }],
      "::tile::MatmulUnit", "getPaired", (ins), "", "return {};">,
    InterfaceMethod<[{
      Where an operand of `shape`, of which `elementBits` lie one behind the other
      along dimension `fastest`, must be in on-chip memory for a unit that reads
      it there. Nothing if it cannot.
      }],
      "::std::optional<::tile::LinearLayout>", "getOnChipLayout",
      (ins "::tile::MatmulOperand":$operand, "::llvm::ArrayRef<int64_t>":$shape,
           "unsigned":$elementBits, "unsigned":$fastest), "", "return ::std::nullopt;">,
    InterfaceMethod<"A fragment of A in registers as the instruction of such a unit takes it.",
      "::llvm::SmallVector<::mlir::Value>", "packRegisters",
      (ins "::mlir::OpBuilder &":$builder, "::mlir::Location":$loc, "::mlir::ValueRange":$a),
      "", "return ::llvm::to_vector(a);">,
    InterfaceMethod<[{
      Emit one instruction of a unit that reads on-chip memory. Returns the
      registers of the accumulator, in flight.
      }],
      "::llvm::SmallVector<::mlir::Value>", "emitAsync",
      (ins "::mlir::OpBuilder &":$builder, "::mlir::Location":$loc,
           "const ::tile::MatmulProblem &":$problem, "const ::tile::AsyncProduct &":$product),
      "", "llvm_unreachable(\"not a unit that reads on-chip memory\");">,
  ];
}

#endif // TILE_INTERFACES_TD
