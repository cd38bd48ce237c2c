//===- UnusedGenerators.cpp - Initialisers that lld names -----------------===//
//
// lld::elf::link initialises every code generator of the LLVM build for
// link-time optimisation. Linking those that are never used would add about
// 100 MB; their initialisers are defined here, empty.
//
//===----------------------------------------------------------------------===//
#define TILE_UNUSED(generator)                                                                     \
  extern "C" void LLVMInitialize##generator##TargetInfo() {}                                       \
  extern "C" void LLVMInitialize##generator##Target() {}                                           \
  extern "C" void LLVMInitialize##generator##TargetMC() {}                                         \
  extern "C" void LLVMInitialize##generator##AsmPrinter() {}                                       \
  extern "C" void LLVMInitialize##generator##AsmParser() {}

TILE_UNUSED(AArch64)
TILE_UNUSED(ARM)
TILE_UNUSED(AVR)
TILE_UNUSED(BPF)
TILE_UNUSED(Hexagon)
TILE_UNUSED(Lanai)
TILE_UNUSED(LoongArch)
TILE_UNUSED(M68k)
TILE_UNUSED(MSP430)
TILE_UNUSED(Mips)
TILE_UNUSED(PowerPC)
TILE_UNUSED(RISCV)
TILE_UNUSED(SPIRV)
TILE_UNUSED(Sparc)
TILE_UNUSED(SystemZ)
TILE_UNUSED(VE)
TILE_UNUSED(WebAssembly)
TILE_UNUSED(XCore)
TILE_UNUSED(Xtensa)
