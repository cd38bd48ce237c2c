//===- LaunchExpression.cpp - Integers computed from arguments ------------===//
#include "runtime/nvidia/LaunchExpression.h"

#include <algorithm>

namespace tile::runtime::nvidia {

/// The deepest stack of a program: evaluation allocates nothing.
static constexpr size_t deepest = 64;
static constexpr int64_t mostArguments = 4096;

std::string LaunchExpression::read(const std::vector<int64_t> &program) {
  size_t depth = 0;
  steps.clear();
  if (program.size() % 2)
    return "an opcode lacks its value";
  for (size_t i = 0; i < program.size(); i += 2) {
    int64_t opcode = program[i], value = program[i + 1];
    if (opcode < Constant || opcode > ShiftRight)
      return "there is no opcode " + std::to_string(opcode);
    if (opcode == Argument && (value < 0 || value >= mostArguments))
      return "there is no argument " + std::to_string(value);
    if (opcode >= SignExtend && (value < 1 || value > 64))
      return "integers do not have " + std::to_string(value) + " bits";
    size_t popped = opcode <= Argument ? 0 : opcode <= ZeroExtend ? 1 : 2;
    if (depth < popped)
      return "an operation lacks operands";
    depth += 1 - popped;
    if (depth > deepest)
      return "it is too deep";
    steps.push_back({static_cast<Opcode>(opcode), value});
  }
  return depth == 1 ? "" : "it leaves " + std::to_string(depth) + " results";
}

void LaunchExpression::listArguments(std::vector<size_t> &numbers) const {
  for (const Step &step : steps) {
    if (step.opcode != Argument)
      continue;
    auto number = static_cast<size_t>(step.value);
    if (std::find(numbers.begin(), numbers.end(), number) == numbers.end())
      numbers.push_back(number);
  }
}

static int64_t extend(uint64_t value, int64_t bits, bool withSign) {
  int64_t unused = 64 - bits;
  return withSign ? static_cast<int64_t>(value << unused) >> unused
                  : static_cast<int64_t>(value << unused >> unused);
}

int64_t LaunchExpression::combine(const Step &step, int64_t left, int64_t right) {
  // Unsigned arithmetic wraps, as the kernel's own does.
  auto a = static_cast<uint64_t>(left), b = static_cast<uint64_t>(right);
  uint64_t distance = b % static_cast<uint64_t>(step.value);
  switch (step.opcode) {
  case Add:
    return static_cast<int64_t>(a + b);
  case Subtract:
    return static_cast<int64_t>(a - b);
  case Multiply:
    return static_cast<int64_t>(a * b);
  case Divide: // by -1 it is a negation, which wraps where a division would trap
    return right == 0 ? left : right == -1 ? static_cast<int64_t>(0 - a) : left / right;
  case Remainder:
    return right == 0 || right == -1 ? 0 : left % right;
  case Maximum:
    return std::max(left, right);
  case Minimum:
    return std::min(left, right);
  case ShiftLeft:
    return static_cast<int64_t>(a << distance);
  default:
    return left >> distance;
  }
}

int64_t LaunchExpression::evaluate(const uint64_t *slots) const {
  int64_t stack[deepest];
  size_t depth = 0;
  for (const Step &step : steps) {
    if (step.opcode == Constant) {
      stack[depth++] = step.value;
    } else if (step.opcode == Argument) {
      stack[depth++] = static_cast<int64_t>(slots[step.value]);
    } else if (step.opcode == SignExtend || step.opcode == ZeroExtend) {
      stack[depth - 1] =
          extend(static_cast<uint64_t>(stack[depth - 1]), step.value, step.opcode == SignExtend);
    } else {
      --depth;
      int64_t result = combine(step, stack[depth - 1], stack[depth]);
      stack[depth - 1] = extend(static_cast<uint64_t>(result), step.value, true);
    }
  }
  return stack[0];
}

} // namespace tile::runtime::nvidia
