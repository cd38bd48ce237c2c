//===- InlineVector.h - A vector that starts on the stack --------*- C++ -*-===//
#ifndef TILE_RUNTIME_LAUNCHER_INLINEVECTOR_H
#define TILE_RUNTIME_LAUNCHER_INLINEVECTOR_H

#include <cstddef>
#include <cstring>
#include <memory>
#include <type_traits>

namespace tile::runtime {

/// Values that are copied as bytes; the first `Inline` of them need no allocation.
template <typename T, size_t Inline> class InlineVector {
  static_assert(std::is_trivially_copyable_v<T>);

public:
  InlineVector() = default;
  InlineVector(const InlineVector &) = delete;
  InlineVector &operator=(const InlineVector &) = delete;

  T *data() { return values; }
  const T *data() const { return values; }
  size_t size() const { return count; }
  T *begin() { return values; }
  T *end() { return values + count; }
  const T *begin() const { return values; }
  const T *end() const { return values + count; }
  T &operator[](size_t i) { return values[i]; }
  const T &operator[](size_t i) const { return values[i]; }

  void clear() { count = 0; }
  void push(T value) { append(&value, 1); }
  void append(const T *source, size_t n) {
    if (count + n > capacity)
      grow(count + n);
    std::memcpy(values + count, source, n * sizeof(T));
    count += n;
  }
  void resize(size_t n, T value) {
    if (n > capacity)
      grow(n);
    for (size_t i = count; i < n; ++i)
      values[i] = value;
    count = n;
  }

private:
  void grow(size_t needed) {
    capacity = needed * 2;
    std::unique_ptr<T[]> larger(new T[capacity]);
    std::memcpy(larger.get(), values, count * sizeof(T));
    heap = std::move(larger);
    values = heap.get();
  }

  T inlined[Inline];
  std::unique_ptr<T[]> heap;
  T *values = inlined;
  size_t count = 0, capacity = Inline;
};

} // namespace tile::runtime

#endif // TILE_RUNTIME_LAUNCHER_INLINEVECTOR_H
