//===- MmaSync.cpp - The matrix instruction of one warp ---------------------===//
//
// Fragments as PTX's manual describes them: `g` = lane / 4 counts rows (or
// columns of B), `t` = lane % 4 counts what a thread holds of a row.
//
//===----------------------------------------------------------------------===//
#include "compiler/targets/nvidia/IR/NvidiaDialect.h"
#include "compiler/targets/nvidia/IR/Words.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace tile;
using namespace tile::nvidia;

//===----------------------------------------------------------------------===//
// What it computes
//===----------------------------------------------------------------------===//

static bool isF8(Type type) { return isa<Float8E4M3FNType, Float8E5M2Type>(type); }

bool MmaSyncAttr::accepts(const MatmulProblem &problem) const {
  if (problem.k % getInstructionShape()[2] != 0)
    return false;
  Type a = problem.a, b = problem.b, acc = problem.acc;
  switch (getKind()) {
  case MmaKind::F16:
    return a.isF16() && b.isF16() && (acc.isF32() || acc.isF16());
  case MmaKind::BF16:
    return a.isBF16() && b.isBF16() && acc.isF32();
  case MmaKind::TF32:
    return a.isF32() && b.isF32() && acc.isF32() && problem.precision == InputPrecision::TF32;
  case MmaKind::I8:
    return a.isInteger(8) && b.isInteger(8) && acc.isInteger(32);
  case MmaKind::F8:
    return isF8(a) && isF8(b) && (acc.isF32() || acc.isF16());
  case MmaKind::F64:
    return a.isF64() && b.isF64() && acc.isF64();
  }
  llvm_unreachable("all kinds are listed");
}

std::array<int64_t, 3> MmaSyncAttr::getInstructionShape() const {
  switch (getKind()) {
  case MmaKind::F16:
  case MmaKind::BF16:
    return {16, 8, 16};
  case MmaKind::TF32:
    return {16, 8, 8};
  case MmaKind::I8:
  case MmaKind::F8:
    return {16, 8, 32};
  case MmaKind::F64:
    return {8, 8, 4};
  }
  llvm_unreachable("all kinds are listed");
}

//===----------------------------------------------------------------------===//
// Fragments
//===----------------------------------------------------------------------===//

/// Elements of an operand in 32 bits, which lie along k.
static int64_t getPacked(MmaKind kind) {
  switch (kind) {
  case MmaKind::F16:
  case MmaKind::BF16:
    return 2;
  case MmaKind::I8:
  case MmaKind::F8:
    return 4;
  case MmaKind::TF32:
  case MmaKind::F64:
    return 1;
  }
  llvm_unreachable("all kinds are listed");
}

/// Whether a lane has two words of each row of A and column of B.
static bool hasTwoWords(MmaKind kind) { return kind != MmaKind::F64; }

LogicalResult MmaSyncAttr::verify(function_ref<InFlightDiagnostic()> emitError, MmaKind kind,
                                  bool hasPairs) {
  if (hasPairs && !hasTwoWords(kind))
    return emitError() << "lanes have single words of this kind, and no pairs";
  return success();
}

MatmulUnit MmaSyncAttr::getPaired() const {
  return hasTwoWords(getKind()) ? get(getContext(), getKind(), /*hasPairs=*/true) : MmaSyncAttr();
}

LinearLayout MmaSyncAttr::getFragment(MatmulOperand operand) const {
  auto [m, n, k] = getInstructionShape();
  unsigned kDim = operand == MatmulOperand::A ? 1 : 0;
  auto at = [](unsigned dim, int64_t value) {
    LinearLayout::Basis basis{0, 0};
    basis[dim] = value;
    return basis;
  };
  SmallVector<LinearLayout::Basis, 8> registers, lanes;
  if (operand == MatmulOperand::Acc) {
    // Pairs along a row; the second half of the rows in the second pair.
    registers.push_back(at(1, 1));
    lanes = {at(1, 2), at(1, 4), at(0, 1), at(0, 2), at(0, 4)};
    if (m == 16)
      registers.push_back(at(0, 8));
    return LinearLayout::get({m, n}, {{Dim::Register, registers}, {Dim::Lane, lanes}});
  }
  int64_t packed = getPacked(getKind());
  for (int64_t step = 1; step < packed; step *= 2)
    registers.push_back(at(kDim, step));
  if (operand == MatmulOperand::A && m == 16)
    registers.push_back(at(0, 8));
  int64_t perLane = getHasPairs() ? 2 * packed : packed;
  if (hasTwoWords(getKind()))
    registers.push_back(at(kDim, getHasPairs() ? packed : 4 * packed));
  lanes = {at(kDim, perLane), at(kDim, 2 * perLane)};
  for (int64_t step = 1; step < 8; step *= 2)
    lanes.push_back(at(1 - kDim, step));
  SmallVector<int64_t> shape =
      operand == MatmulOperand::A ? SmallVector<int64_t>{m, k} : SmallVector<int64_t>{k, n};
  return LinearLayout::get(shape, {{Dim::Register, registers}, {Dim::Lane, lanes}});
}

/// ldmatrix: a row has 16 bytes. Transposed, it moves pairs of 16-bit values. Pairs of words are
/// single words in rows of elements of half the width.
std::optional<CollectiveAccess> MmaSyncAttr::getCollectiveRead(MatmulOperand operand,
                                                               bool alongK) const {
  int64_t packed = getPacked(getKind());
  if (operand == MatmulOperand::Acc || getKind() == MmaKind::F64 || (!alongK && packed != 2))
    return std::nullopt;
  CollectiveAccess read;
  SmallVector<InputBit> inWord;
  unsigned next = 0, registerBits = getFragment(operand).getTile().getInBits(Dim::Register);
  for (int64_t step = 1; step < packed; step *= 2)
    inWord.push_back({Dim::Register, next++});
  bool takesPairs = getHasPairs() && alongK;
  if (takesPairs)
    inWord.push_back({Dim::Register, --registerBits});
  SmallVector<InputBit> t = {{Dim::Lane, 0}, {Dim::Lane, 1}};
  SmallVector<InputBit> g = {{Dim::Lane, 2}, {Dim::Lane, 3}, {Dim::Lane, 4}};
  SmallVector<InputBit> alongWords = inWord;
  llvm::append_range(alongWords, t);
  read.row.append(alongK ? alongWords : g);
  read.address.append(alongK ? g : alongWords);
  // The fragment's further words come from further matrices.
  for (; next < registerBits; ++next)
    read.address.push_back({Dim::Register, next});
  return read;
}

//===----------------------------------------------------------------------===//
// Emission
//===----------------------------------------------------------------------===//

static NVVM::MMATypes getPtxType(Type type, const MatmulProblem &problem) {
  if (type.isF16())
    return NVVM::MMATypes::f16;
  if (type.isBF16())
    return NVVM::MMATypes::bf16;
  if (type.isF32())
    return NVVM::MMATypes::tf32;
  if (type.isF64())
    return NVVM::MMATypes::f64;
  return problem.isUnsigned ? NVVM::MMATypes::u8 : NVVM::MMATypes::s8;
}

SmallVector<Value> tile::nvidia::packWords(OpBuilder &b, Location loc, ValueRange scalars) {
  Type type = scalars.front().getType();
  unsigned bits = type.getIntOrFloatBitWidth();
  if (bits == 64)
    return llvm::to_vector(scalars);
  SmallVector<Value> words;
  unsigned packed = 32 / bits;
  for (unsigned i = 0; i < scalars.size(); i += packed) {
    auto vectorType = VectorType::get(packed, type);
    Value word = vector::FromElementsOp::create(b, loc, vectorType, scalars.slice(i, packed));
    if (!type.isF16()) {
      Value whole = vector::BitCastOp::create(b, loc, VectorType::get(1, b.getI32Type()), word);
      word = vector::ExtractOp::create(b, loc, whole, int64_t(0));
    }
    words.push_back(word);
  }
  return words;
}

SmallVector<Value> tile::nvidia::roundToTF32(OpBuilder &b, Location loc, ValueRange scalars) {
  return llvm::map_to_vector(scalars, [&](Value scalar) -> Value {
    return NVVM::ConvertFloatToTF32Op::create(b, loc, b.getI32Type(), scalar,
                                              NVVM::FPRoundingMode::RNA, NVVM::SaturationMode::NONE,
                                              /*relu=*/false);
  });
}

/// Products of 8-bit floats, which NVVM's operation does not take, by LLVM's
/// intrinsic.
static Value createF8Product(OpBuilder &b, Location loc, Type result, const MatmulProblem &problem,
                             ArrayRef<Value> operands) {
  auto getName = [](Type type) { return isa<Float8E5M2Type>(type) ? "e5m2" : "e4m3"; };
  std::string name = std::string("llvm.nvvm.mma.m16n8k32.row.col.f32.") + getName(problem.a) + "." +
                     getName(problem.b) + ".f32";
  return LLVM::CallIntrinsicOp::create(b, loc, result, b.getStringAttr(name), operands)
      .getResult(0);
}

/// `scalars` as those of `type`, which is wider or narrower.
static SmallVector<Value> castFloats(OpBuilder &b, Location loc, ValueRange scalars, Type type) {
  return llvm::map_to_vector(scalars, [&](Value scalar) -> Value {
    if (scalar.getType().getIntOrFloatBitWidth() < type.getIntOrFloatBitWidth())
      return arith::ExtFOp::create(b, loc, type, scalar);
    return arith::TruncFOp::create(b, loc, type, scalar);
  });
}

SmallVector<Value> MmaSyncAttr::emit(OpBuilder &b, Location loc, const MatmulProblem &problem,
                                     ValueRange a, ValueRange bOperand, ValueRange acc) const {
  // Sums of 8-bit floats in fp16 need a later PTX: they are added to in fp32.
  if (getKind() == MmaKind::F8 && problem.acc.isF16()) {
    MatmulProblem wide = problem;
    wide.acc = b.getF32Type();
    SmallVector<Value> sums = castFloats(b, loc, acc, wide.acc);
    return castFloats(b, loc, emit(b, loc, wide, a, bOperand, sums), problem.acc);
  }
  bool isTF32 = getKind() == MmaKind::TF32;
  SmallVector<Value> wordsA = isTF32 ? roundToTF32(b, loc, a) : packWords(b, loc, a);
  SmallVector<Value> wordsB = isTF32 ? roundToTF32(b, loc, bOperand) : packWords(b, loc, bOperand);
  bool packsAcc = problem.acc.isF16();
  SmallVector<Value> wordsAcc = packsAcc ? packWords(b, loc, acc) : llvm::to_vector(acc);
  auto result = LLVM::LLVMStructType::getLiteral(
      b.getContext(), SmallVector<Type>(wordsAcc.size(), wordsAcc.front().getType()));
  Value product;
  if (getKind() == MmaKind::F8) {
    product = createF8Product(b, loc, result, problem,
                              llvm::to_vector(llvm::concat<Value>(wordsA, wordsB, wordsAcc)));
  } else {
    std::optional<NVVM::MMAIntOverflow> overflow;
    if (getKind() == MmaKind::I8)
      overflow = NVVM::MMAIntOverflow::wrapped;
    product = NVVM::MmaOp::create(
        b, loc, result, wordsA, wordsB, wordsAcc, getInstructionShape(), std::nullopt, overflow,
        std::array{getPtxType(problem.a, problem), getPtxType(problem.b, problem)},
        std::array{NVVM::MMALayout::row, NVVM::MMALayout::col});
  }
  SmallVector<Value> sums;
  for (unsigned i = 0; i < wordsAcc.size(); ++i) {
    Value word = LLVM::ExtractValueOp::create(b, loc, product, i);
    if (!packsAcc) {
      sums.push_back(word);
      continue;
    }
    for (int64_t half = 0; half < 2; ++half)
      sums.push_back(vector::ExtractOp::create(b, loc, word, half));
  }
  return sums;
}
