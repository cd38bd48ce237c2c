//===- Library.h - Compiled kernels loaded from memory -----------*- C++ -*-===//
#ifndef TILE_RUNTIME_CPU_LIBRARY_H
#define TILE_RUNTIME_CPU_LIBRARY_H

#include "runtime/cpu/ObjectImage.h"

#include <cstddef>
#include <memory>
#include <string>

namespace tile::runtime::cpu {

/// A loaded object or shared library; unloaded when destroyed.
class Library {
public:
  /// Null with a message in `error`.
  static std::unique_ptr<Library> load(const void *data, size_t size, std::string &error);
  ~Library();
  Library(const Library &) = delete;
  Library &operator=(const Library &) = delete;

  /// The address of a symbol, or null.
  void *find(const char *symbol) const;

private:
  explicit Library(void *handle) : handle(handle) {}
  explicit Library(std::unique_ptr<ObjectImage> object) : object(std::move(object)) {}
  void *handle = nullptr; ///< of a shared library
  std::unique_ptr<ObjectImage> object;
};

} // namespace tile::runtime::cpu

#endif // TILE_RUNTIME_CPU_LIBRARY_H
