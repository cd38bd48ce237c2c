//===- Python.h - Python objects with an owner -------------------*- C++ -*-===//
//
// The launcher is written against CPython's own interface: its calls take a few
// hundred nanoseconds in all, less than a binding layer alone.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_RUNTIME_LAUNCHER_PYTHON_H
#define TILE_RUNTIME_LAUNCHER_PYTHON_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <utility>

namespace tile::runtime {

/// An owned reference, or null.
class Ref {
public:
  Ref() = default;
  /// Takes over a new reference.
  explicit Ref(PyObject *owned) : object(owned) {}
  Ref(Ref &&other) noexcept : object(std::exchange(other.object, nullptr)) {}
  Ref &operator=(Ref &&other) noexcept {
    std::swap(object, other.object);
    return *this;
  }
  Ref(const Ref &other) : object(Py_XNewRef(other.object)) {}
  Ref &operator=(const Ref &other) { return *this = Ref(other); }
  ~Ref() { Py_XDECREF(object); }

  /// Adds a reference to a borrowed object.
  static Ref borrow(PyObject *object) { return Ref(Py_XNewRef(object)); }

  PyObject *get() const { return object; }
  PyObject *release() { return std::exchange(object, nullptr); }
  explicit operator bool() const { return object; }

private:
  PyObject *object = nullptr;
};

} // namespace tile::runtime

#endif // TILE_RUNTIME_LAUNCHER_PYTHON_H
