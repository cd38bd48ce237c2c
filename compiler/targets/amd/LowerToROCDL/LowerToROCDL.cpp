//===- LowerToROCDL.cpp - From per-thread code to stage llvm ----------------===//
#include "compiler/targets/amd/LowerToROCDL/LowerToROCDL.h"
#include "compiler/targets/amd/LowerToROCDL/Patterns.h"
#include "dialects/tile/IR/TileDialect.h"

#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/FuncToLLVM/ConvertFuncToLLVM.h"
#include "mlir/Conversion/LLVMCommon/ConversionTarget.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/UBToLLVM/UBToLLVM.h"
#include "mlir/Conversion/VectorToLLVM/ConvertVectorToLLVM.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/ROCDLDialect.h"
#include "mlir/Transforms/DialectConversion.h"

namespace tile {
#define GEN_PASS_DEF_LOWERTOROCDL
#include "compiler/targets/amd/LowerToROCDL/LowerToROCDL.h.inc"
} // namespace tile

using namespace mlir;
using namespace tile;

/// State in ROCDL's words that a function is a kernel, and for how many threads.
static void describeFunction(func::FuncOp function, int64_t lanes) {
  Builder builder(function.getContext());
  if (function->removeAttr(kKernelAttr)) {
    auto threads = static_cast<int32_t>(lanes * getModuleInt(function, kNumWarpsAttr, 1));
    std::string range = std::to_string(threads) + "," + std::to_string(threads);
    function->setAttr(ROCDL::ROCDLDialect::getKernelFuncAttrName(), builder.getUnitAttr());
    function->setAttr(ROCDL::ROCDLDialect::getFlatWorkGroupSizeAttrName(),
                      builder.getStringAttr(range));
    function->setAttr(ROCDL::ROCDLDialect::getReqdWorkGroupSizeAttrName(),
                      builder.getDenseI32ArrayAttr({threads, 1, 1}));
  }
  for (unsigned i = 0, end = function.getNumArguments(); i < end; ++i)
    function.removeArgAttr(i, kDivisibilityAttr);
}

/// Memory of a stated size is part of the kernel's description, so that whoever
/// launches it need not know the size.
static void sizeOnChipMemory(ModuleOp module) {
  constexpr unsigned kLocalSpace = 3;
  Type byte = IntegerType::get(module.getContext(), 8);
  auto bytes = module->getAttrOfType<IntegerAttr>(kSharedBytesAttr);
  for (auto global : module.getOps<LLVM::GlobalOp>()) {
    if (global.getAddrSpace() != kLocalSpace || !bytes)
      continue;
    global.setGlobalType(LLVM::LLVMArrayType::get(byte, bytes.getInt()));
    global.setLinkage(LLVM::Linkage::Internal);
  }
}

/// LLVM's approximate quotient multiplies by an inverse, which is zero for
/// divisors beyond 2^126: quotients are exact instead.
static void divideExactly(ModuleOp module) {
  module.walk(
      [](arith::DivFOp op) { op.setFastmath(op.getFastmath() & ~arith::FastMathFlags::afn); });
}

/// Each is reported where the program has it.
static LogicalResult refusePrinting(ModuleOp module) {
  bool found = false;
  module.walk([&](gpu::PrintfOp op) {
    found = true;
    op.emitError(
        "printing from a kernel, also by an assertion, is not supported on AMD GPUs; run it "
        "on the CPU target, or store the values and print them on the host");
  });
  return failure(found);
}

namespace {
struct LowerToROCDLPass : tile::impl::LowerToROCDLBase<LowerToROCDLPass> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    TargetAttr described = getTarget(module);
    if (!described) {
      module.emitError("expects the module to state its target");
      return signalPassFailure();
    }
    if (failed(refusePrinting(module)))
      return signalPassFailure();
    int64_t lanes = described.getLanes();
    for (auto function : module.getOps<func::FuncOp>())
      describeFunction(function, lanes);
    divideExactly(module);
    sizeOnChipMemory(module);
    LowerToLLVMOptions options(&getContext());
    options.overrideIndexBitwidth(64);
    LLVMTypeConverter converter(&getContext(), options);
    RewritePatternSet patterns(&getContext());
    arith::populateArithToLLVMConversionPatterns(converter, patterns);
    cf::populateControlFlowToLLVMConversionPatterns(converter, patterns);
    populateFuncToLLVMConversionPatterns(converter, patterns);
    populateMathToLLVMConversionPatterns(converter, patterns);
    populateVectorToLLVMConversionPatterns(converter, patterns);
    ub::populateUBToLLVMConversionPatterns(converter, patterns);
    amd::populateExecutionPatterns(converter, patterns);
    amd::populateShufflePatterns(converter, patterns, described.getFact("isa"), lanes);
    LLVMConversionTarget target(getContext());
    target.addLegalDialect<ROCDL::ROCDLDialect>();
    target.addLegalOp<ModuleOp>();
    if (failed(applyFullConversion(module, target, std::move(patterns))))
      signalPassFailure();
  }
};
} // namespace
