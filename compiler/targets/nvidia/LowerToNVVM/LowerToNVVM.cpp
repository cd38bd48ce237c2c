//===- LowerToNVVM.cpp - From per-thread code to stage llvm -----------------===//
#include "compiler/targets/nvidia/LowerToNVVM/LowerToNVVM.h"
#include "compiler/targets/nvidia/IR/NvidiaDialect.h"
#include "compiler/targets/nvidia/LowerToNVVM/Patterns.h"

#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/FuncToLLVM/ConvertFuncToLLVM.h"
#include "mlir/Conversion/LLVMCommon/ConversionTarget.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/UBToLLVM/UBToLLVM.h"
#include "mlir/Conversion/VectorToLLVM/ConvertVectorToLLVM.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Transforms/DialectConversion.h"

namespace tile {
#define GEN_PASS_DEF_LOWERTONVVM
#include "compiler/targets/nvidia/LowerToNVVM/LowerToNVVM.h.inc"
} // namespace tile

using namespace mlir;
using namespace tile;

/// Warps that share out registers must know how many they begin with: what each
/// role has in the end, evenly. With fewer, who asks for more would wait for ever.
static std::optional<int32_t> getRegistersAtFirst(func::FuncOp function, int64_t warps) {
  constexpr uint64_t kStep = 8;
  int64_t computing = getModuleInt(function, kNumWarpsAttr, 1);
  uint64_t total = 0;
  function.walk([&](NVVM::SetMaxRegisterOp op) {
    bool grows = op.getAction() == NVVM::SetMaxRegisterAction::increase;
    total += op.getRegCount() * (grows ? computing : warps - computing);
  });
  if (total == 0)
    return std::nullopt;
  return static_cast<int32_t>(llvm::alignTo(llvm::divideCeil(total, warps), kStep));
}

/// State in NVVM's words that a function is a kernel, and for how many threads.
static void describeFunction(func::FuncOp function) {
  Builder builder(function.getContext());
  if (function->removeAttr(kKernelAttr)) {
    int64_t lanes = getTarget(function) ? getTarget(function).getLanes() : 32;
    int64_t warps =
        getModuleInt(function, kLaunchWarpsAttr, getModuleInt(function, kNumWarpsAttr, 1));
    auto threads = static_cast<int32_t>(lanes * warps);
    function->setAttr(NVVM::NVVMDialect::getKernelFuncAttrName(), builder.getUnitAttr());
    function->setAttr(NVVM::NVVMDialect::getReqntidAttrName(),
                      builder.getDenseI32ArrayAttr({threads, 1, 1}));
    if (int64_t blocks = getModuleInt(function, kNumCtasAttr, 1); blocks > 1)
      function->setAttr(NVVM::NVVMDialect::getClusterDimAttrName(),
                        builder.getDenseI32ArrayAttr({static_cast<int32_t>(blocks), 1, 1}));
    if (std::optional<int32_t> registers = getRegistersAtFirst(function, warps))
      function->setAttr(NVVM::NVVMDialect::getMaxnregAttrName(),
                        builder.getI32IntegerAttr(*registers));
    // Only of a kernel's arguments may this be said.
    for (unsigned i = 0, end = function.getNumArguments(); i < end; ++i)
      if (function.getArgAttr(i, LLVM::LLVMDialect::getByValAttrName()))
        function.setArgAttr(i, NVVM::NVVMDialect::getGridConstantAttrName(), builder.getUnitAttr());
  }
  for (unsigned i = 0, end = function.getNumArguments(); i < end; ++i)
    function.removeArgAttr(i, kDivisibilityAttr);
}

namespace {
struct LowerToNVVMPass : tile::impl::LowerToNVVMBase<LowerToNVVMPass> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    for (auto function : module.getOps<func::FuncOp>())
      describeFunction(function);
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
    nvidia::populateExecutionPatterns(converter, patterns);
    nvidia::populateInstructionPatterns(converter, patterns);
    nvidia::populateAtomicPatterns(patterns);
    nvidia::populateMatmulPatterns(converter, patterns);
    nvidia::populateNativeMathPatterns(converter, patterns);
    nvidia::populatePrintPatterns(converter, patterns);
    LLVMConversionTarget target(getContext());
    target.addLegalDialect<NVVM::NVVMDialect>();
    target.addLegalOp<ModuleOp>();
    target.addDynamicallyLegalOp<LLVM::AtomicRMWOp>(
        [](LLVM::AtomicRMWOp op) { return !nvidia::isOfSystem(op.getSyncscope()); });
    target.addDynamicallyLegalOp<LLVM::AtomicCmpXchgOp>(
        [](LLVM::AtomicCmpXchgOp op) { return !nvidia::isOfSystem(op.getSyncscope()); });
    if (failed(applyFullConversion(module, target, std::move(patterns))))
      signalPassFailure();
  }
};
} // namespace
