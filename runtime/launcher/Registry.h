//===- Registry.h - What the launcher knows of Python types ------*- C++ -*-===//
#ifndef TILE_RUNTIME_LAUNCHER_REGISTRY_H
#define TILE_RUNTIME_LAUNCHER_REGISTRY_H

#include "runtime/launcher/DataType.h"
#include "runtime/launcher/Python.h"

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

namespace tile::runtime {

/// How an argument of some type is read.
enum class ArgumentKind : uint8_t {
  Integer, ///< has __index__
  Float,   ///< has __float__
  Bool,    ///< numpy's bool
  Tuple,
  Constexpr,  ///< the language's wrapper of a constant
  Function,   ///< a jit function
  Descriptor, ///< an array with the shape of the blocks that are accessed
  NumpyArray,
  TorchTensor,
  CudaArray,     ///< has __cuda_array_interface__
  DLPackArray,   ///< has __dlpack__
  PointerHolder, ///< has data_ptr() and dtype
  Unsupported,
};

/// Attribute names, interned once.
struct Names {
  PyObject *value, *dtype, *dataPtr, *getDevice, *isCuda, *isCpu, *cudaArrayInterface, *dlpack,
      *dlpackDevice, *stream, *data, *typestr, *arrayInterface, *write, *index, *floatMethod,
      *byteorder, *base, *shape, *strides, *blockShape, *padding, *roundToTF32;
};

/// Process-wide tables; used with the GIL held.
class Registry {
public:
  static Registry &get();

  Names names;

  /// Types of the language and callbacks, given once by the Python side.
  std::vector<Ref> constexprTypes, functionTypes, descriptorTypes;
  Ref classifyDtype;  ///< dtype object -> name as in signatures, or an error
  Ref describeDevice; ///< PointerHolder -> (DLPack device type, index)
  Ref describeExtent; ///< array -> (first byte, byte after the last)
  Ref deviceFailure;  ///< (kernel, message, place) -> an exception
  Ref missingDriver;  ///< () -> an exception that says how to get a GPU's driver

  bool isConstexpr(PyTypeObject *type) const { return contains(constexprTypes, type); }

  /// How values of this type are read; decided once a type.
  ArgumentKind kindOf(PyObject *value);

  /// The element type that a dtype object means. False with a Python error.
  bool readDtype(PyObject *dtype, DataType &result);

private:
  Registry();
  static bool contains(const std::vector<Ref> &types, PyTypeObject *type);
  ArgumentKind inspect(PyObject *value);

  // Both keep their keys alive, so that an address is never another object's.
  std::unordered_map<PyTypeObject *, ArgumentKind> kinds;
  std::unordered_map<PyObject *, DataType> dtypes;
};

} // namespace tile::runtime

#endif // TILE_RUNTIME_LAUNCHER_REGISTRY_H
