//===- Key.h - What tells two specializations apart --------------*- C++ -*-===//
#ifndef TILE_RUNTIME_LAUNCHER_KEY_H
#define TILE_RUNTIME_LAUNCHER_KEY_H

#include "runtime/launcher/InlineVector.h"
#include "runtime/launcher/Python.h"

#include <cstdint>
#include <string>
#include <vector>

namespace tile::runtime {

/// The key of a launch while it is put together: bytes, and objects compared by
/// type and value. It borrows the objects.
class Key {
public:
  void addByte(uint8_t value) { bytes.push(value); }
  void addWord(uint64_t value) {
    bytes.append(reinterpret_cast<const uint8_t *>(&value), sizeof(value));
  }
  /// Compared by value, so it must be hashable: false with a Python error else.
  bool addObject(PyObject *object);
  /// A constant by its value. False with a Python error if it has no hash.
  bool addConstant(PyObject *value);

  size_t hash() const;

private:
  bool addText(PyObject *text);
  bool addSequence(PyObject *sequence);

  friend struct StoredKey;
  InlineVector<uint8_t, 256> bytes;
  InlineVector<PyObject *, 8> objects;
  size_t objectHash = 0;
  std::vector<Ref> unwrapped; ///< values of constexpr wrappers, kept while borrowed
};

/// A key that is kept: it owns its bytes and objects.
struct StoredKey {
  explicit StoredKey(const Key &key);
  bool operator==(const Key &key) const;

  std::string bytes;
  std::vector<Ref> objects;
};

} // namespace tile::runtime

#endif // TILE_RUNTIME_LAUNCHER_KEY_H
