//===- ObjectImage.h - A relocatable object in memory ------------*- C++ -*-===//
//
// What a linker and the system's loader do for a shared library, for one object
// of compiled kernels: no files, and a hundredth of the time.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_RUNTIME_CPU_OBJECTIMAGE_H
#define TILE_RUNTIME_CPU_OBJECTIMAGE_H

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>

namespace tile::runtime::cpu {

class ObjectImage {
public:
  /// Whether the bytes begin like an object that `load` takes, not like a library.
  static bool isObject(const void *data, size_t size);
  /// Place an x86-64 ELF object; what it lacks is looked for in the process. Null with
  /// a message in `error`.
  static std::unique_ptr<ObjectImage> load(const void *data, size_t size, std::string &error);
  ~ObjectImage();
  ObjectImage(const ObjectImage &) = delete;
  ObjectImage &operator=(const ObjectImage &) = delete;

  /// The address of a global symbol, or null.
  void *find(const char *symbol) const;

private:
  friend class ObjectLoader;
  ObjectImage() = default;

  uint8_t *memory = nullptr;
  size_t size = 0;
  std::map<std::string, void *, std::less<>> symbols;
};

} // namespace tile::runtime::cpu

#endif // TILE_RUNTIME_CPU_OBJECTIMAGE_H
