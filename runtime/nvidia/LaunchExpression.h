//===- LaunchExpression.h - Integers computed from arguments -----*- C++ -*-===//
//
// What a kernel needs before it begins, such as the sizes of an array, is computed
// from its arguments at each launch, by the compiler's own arithmetic: nothing traps
// and nothing is undefined.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_RUNTIME_NVIDIA_LAUNCHEXPRESSION_H
#define TILE_RUNTIME_NVIDIA_LAUNCHEXPRESSION_H

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace tile::runtime::nvidia {

/// A postfix program on 64-bit integers.
class LaunchExpression {
public:
  /// Take a program: pairs of an opcode and its value. An empty text, or what is wrong.
  std::string read(const std::vector<int64_t> &program);

  /// The program's result for packed arguments, of which there are enough.
  int64_t evaluate(const uint64_t *slots) const;

  /// Add the numbers of the arguments that are read, each once.
  void listArguments(std::vector<size_t> &numbers) const;

private:
  /// The compiler writes these numbers.
  enum Opcode : int64_t {
    Constant,   ///< push the value
    Argument,   ///< push the slot of that number as it is
    SignExtend, ///< the top, from as many bits as the value says
    ZeroExtend, ///< the same with zeros
    // The others pop two and push one, extended by its sign from as many bits as the
    // value says.
    Add,
    Subtract,
    Multiply,
    Divide,    ///< toward zero; the dividend where the divisor is zero
    Remainder, ///< zero where the divisor is zero
    Maximum,
    Minimum,
    ShiftLeft, ///< both by the distance modulo the bits
    ShiftRight
  };
  struct Step {
    Opcode opcode;
    int64_t value;
  };
  static int64_t combine(const Step &step, int64_t left, int64_t right);

  std::vector<Step> steps;
};

} // namespace tile::runtime::nvidia

#endif // TILE_RUNTIME_NVIDIA_LAUNCHEXPRESSION_H
