//===- Wgmma.cpp - The matrix instruction of four warps ---------------------===//
//
// Operands lie in on-chip memory as tensor copies write them: columns of up to
// 128 bytes, whose 16-byte groups are permuted (getByteSwizzledLayout).
//
//===----------------------------------------------------------------------===//
#include "compiler/analysis/LinearLayout/Constructors.h"
#include "compiler/targets/nvidia/IR/NvidiaDialect.h"
#include "compiler/targets/nvidia/IR/Words.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace tile;
using namespace tile::nvidia;

/// Rows of an instruction, and the most columns.
static constexpr int64_t kRows = 64, kMaxColumns = 256;
/// What an instruction reads of each row, in bytes.
static constexpr int64_t kDepthBytes = 32;

LogicalResult WgmmaAttr::verify(function_ref<InFlightDiagnostic()> emitError, MmaKind kind,
                                int64_t n) {
  if (kind == MmaKind::F64)
    return emitError() << "expects operands of at most 32 bits";
  bool isStep = kind == MmaKind::I8 && n > 24 ? n % 16 == 0 : n % 8 == 0;
  if (n < 8 || n > kMaxColumns || !isStep)
    return emitError() << "expects a number of columns that the instruction has, got " << n;
  return success();
}

//===----------------------------------------------------------------------===//
// What it computes
//===----------------------------------------------------------------------===//

static int64_t getOperandBits(MmaKind kind) {
  switch (kind) {
  case MmaKind::F16:
  case MmaKind::BF16:
    return 16;
  case MmaKind::TF32:
    return 32;
  default:
    return 8;
  }
}

std::array<int64_t, 3> WgmmaAttr::getInstructionShape() const {
  return {kRows, getN(), kDepthBytes * 8 / getOperandBits(getKind())};
}

bool WgmmaAttr::accepts(const MatmulProblem &problem) const {
  auto [m, n, k] = getInstructionShape();
  if (problem.m % m != 0 || problem.n % n != 0 || problem.k % k != 0 || problem.isUnsigned)
    return false;
  return MmaSyncAttr::get(getContext(), getKind()).accepts(problem);
}

bool WgmmaAttr::readsOnChip() const { return true; }

/// Of 8-bit floats about 14 bits are kept.
bool WgmmaAttr::roundsSums() const { return getKind() == MmaKind::F8; }

MatmulUnit WgmmaAttr::getWidest(int64_t columns) const {
  for (int64_t n = std::min(columns, kMaxColumns); n >= 8; n -= 8)
    if (columns % n == 0 && (getKind() != MmaKind::I8 || n <= 24 || n % 16 == 0))
      return WgmmaAttr::get(getContext(), getKind(), n);
  return *this;
}

//===----------------------------------------------------------------------===//
// Fragments
//===----------------------------------------------------------------------===//

/// Of A in registers and of the accumulators: those of one warp's instruction,
/// one below the other. Of B, which is never in registers: any.
LinearLayout WgmmaAttr::getFragment(MatmulOperand operand) const {
  LinearLayout fragment = MmaSyncAttr::get(getContext(), getKind()).getFragment(operand);
  if (operand == MatmulOperand::B)
    return fragment.replicated(Dim::Warp, 4);
  fragment = fragment.repeated(Dim::Warp, 0, 4);
  if (operand == MatmulOperand::Acc)
    fragment = fragment.repeated(Dim::Register, 1, getN() / 8);
  return fragment;
}

std::optional<CollectiveAccess> WgmmaAttr::getCollectiveRead(MatmulOperand operand,
                                                             bool alongK) const {
  return MmaSyncAttr::get(getContext(), getKind()).getCollectiveRead(operand, alongK);
}

/// Only elements of 16 bits may run along the other dimension than k.
std::optional<LinearLayout> WgmmaAttr::getOnChipLayout(MatmulOperand operand,
                                                       ArrayRef<int64_t> shape,
                                                       unsigned elementBits,
                                                       unsigned fastest) const {
  unsigned alongK = operand == MatmulOperand::A ? 1 : 0;
  if (shape.size() != 2 || elementBits != getOperandBits(getKind()) ||
      (fastest != alongK && elementBits != 16))
    return std::nullopt;
  std::array<unsigned, 2> order{fastest, 1 - fastest};
  unsigned bytes = chooseSwizzleBytes(shape, order, elementBits);
  // What an instruction reads of a row may not be torn apart.
  if (bytes < kDepthBytes)
    return std::nullopt;
  return getByteSwizzledLayout(shape, order, elementBits, bytes);
}

//===----------------------------------------------------------------------===//
// Emission
//===----------------------------------------------------------------------===//

SmallVector<Value> WgmmaAttr::emit(OpBuilder &, Location, const MatmulProblem &, ValueRange,
                                   ValueRange, ValueRange) const {
  llvm_unreachable("operand B is in on-chip memory");
}

namespace {
struct Matrix {
  std::array<int32_t, 3> numbers; // leading, stride, swizzle, in bytes
  bool alongRows;                 // elements run along dimension 1
};
} // namespace

/// The numbers of getOnChipLayout's result.
static Matrix describe(const OnChipFragment &fragment) {
  SmallVector<int64_t> shape = fragment.memory->getShape();
  for (unsigned fastest : {1u, 0u}) {
    std::array<unsigned, 2> order{fastest, 1 - fastest};
    unsigned bytes = chooseSwizzleBytes(shape, order, fragment.elementBits);
    if (bytes == 0 ||
        *fragment.memory != getByteSwizzledLayout(shape, order, fragment.elementBits, bytes))
      continue;
    auto width = static_cast<int32_t>(bytes);
    return {{static_cast<int32_t>(shape[1 - fastest]) * width, 8 * width, width}, fastest == 1};
  }
  llvm_unreachable("the layout is one of getOnChipLayout");
}

/// PTX's name of the accumulator's type, A's and B's.
static std::string getPtxTypes(const MatmulProblem &problem) {
  auto getName = [](Type type) -> StringRef {
    if (type.isF32())
      return "tf32";
    if (type.isInteger(8))
      return "s8";
    if (type.isF16() || type.isBF16())
      return type.isF16() ? "f16" : "bf16";
    return isa<Float8E5M2Type>(type) ? "e5m2" : "e4m3";
  };
  StringRef acc = problem.acc.isInteger(32) ? "s32" : problem.acc.isF16() ? "f16" : "f32";
  return (acc + "." + getName(problem.a) + "." + getName(problem.b)).str();
}

/// Four registers.
SmallVector<Value> WgmmaAttr::packRegisters(OpBuilder &b, Location loc, ValueRange scalars) const {
  if (scalars.front().getType().isF32())
    return roundToTF32(b, loc, scalars);
  SmallVector<Value> words = packWords(b, loc, scalars);
  for (Value &word : words)
    if (isa<VectorType>(word.getType())) {
      word = vector::BitCastOp::create(b, loc, VectorType::get(1, b.getI32Type()), word);
      word = vector::ExtractOp::create(b, loc, word, int64_t(0));
    }
  return words;
}

SmallVector<Value> WgmmaAttr::emitAsync(OpBuilder &b, Location loc, const MatmulProblem &problem,
                                        const AsyncProduct &product) const {
  auto [m, n, k] = getInstructionShape();
  SmallVector<int32_t> matrixA;
  bool transposedA = false;
  if (product.a.address) {
    Matrix matrix = describe(product.a);
    matrixA.assign(matrix.numbers.begin(), matrix.numbers.end());
    transposedA = !matrix.alongRows;
  }
  Matrix matrixB = describe(product.b);
  ValueRange acc = product.isFirst ? ValueRange() : product.acc;
  auto op = WgmmaOp::create(b, loc, product.acc.getTypes(), product.a.address, product.registersA,
                            product.b.address, acc, getPtxTypes(problem), static_cast<uint32_t>(n),
                            static_cast<uint32_t>(k), matrixA, matrixB.numbers, transposedA,
                            /*transposedB=*/matrixB.alongRows,
                            /*opaque=*/product.savesRegisters);
  return llvm::to_vector_of<Value>(op.getResults());
}
