//===- Check.h - A property checker in one page ---------------------------===//
//
// Each property runs on many random cases. Every case has its own seed, which a
// failure prints, so that `unit-LinearLayout --seed=N NAME` repeats that case.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_TEST_UNIT_LINEARLAYOUT_CHECK_H
#define TILE_TEST_UNIT_LINEARLAYOUT_CHECK_H

#include "llvm/ADT/ArrayRef.h"
#include <algorithm>
#include <cstdint>
#include <functional>
#include <random>
#include <string>
#include <vector>

namespace tile::test {

class Random {
public:
  explicit Random(uint64_t seed) : engine(seed) {}
  /// Uniform in [low, high].
  int64_t in(int64_t low, int64_t high) {
    return std::uniform_int_distribution<int64_t>(low, high)(engine);
  }
  bool chance(double probability) {
    return std::uniform_real_distribution<double>(0, 1)(engine) < probability;
  }
  uint64_t bits(unsigned count) { return count == 0 ? 0 : engine() >> (64 - count); }
  template <typename T> const T &pick(const std::vector<T> &values) {
    return values[in(0, values.size() - 1)];
  }
  template <typename Range> void shuffle(Range &range) {
    std::shuffle(range.begin(), range.end(), engine);
  }

private:
  std::mt19937_64 engine;
};

/// Marks the running case as failed. The checks below then return from it:
/// tests build without exceptions.
void recordFailure(const char *file, int line, const std::string &text);
bool hasFailed();

/// Registers a property under a name, at load time.
struct Property {
  Property(const char *name, unsigned cases, std::function<void(Random &)> body);
};

/// Text for failure messages.
std::string describe(llvm::ArrayRef<int64_t> values);

} // namespace tile::test

/// Fails the case and leaves the function when `condition` is false. The
/// message is an expression that yields text.
#define CHECK(condition, message)                                                                  \
  do {                                                                                             \
    if (!(condition)) {                                                                            \
      ::tile::test::recordFailure(__FILE__, __LINE__,                                              \
                                  std::string(#condition) + ": " + std::string(message));          \
      return;                                                                                      \
    }                                                                                              \
  } while (false)

/// Leaves the function when a function called before has failed.
#define CHECK_SO_FAR()                                                                             \
  do {                                                                                             \
    if (::tile::test::hasFailed())                                                                 \
      return;                                                                                      \
  } while (false)

#define PROPERTY(name, cases)                                                                      \
  static void name(::tile::test::Random &random);                                                  \
  static ::tile::test::Property register##name(#name, cases, name);                                \
  static void name([[maybe_unused]] ::tile::test::Random &random)

#endif // TILE_TEST_UNIT_LINEARLAYOUT_CHECK_H
