//===- Arguments.h - Specialization and packing of arguments -----*- C++ -*-===//
#ifndef TILE_RUNTIME_LAUNCHER_ARGUMENTS_H
#define TILE_RUNTIME_LAUNCHER_ARGUMENTS_H

#include "runtime/launcher/Arrays.h"
#include "runtime/launcher/Key.h"

#include <optional>

namespace tile::runtime {

/// A parameter of a kernel.
struct Parameter {
  Ref name;
  Ref defaultValue; ///< null: the argument must be given
  bool isConstexpr = false;
  bool isConst = false; ///< a pointer that is only read
  bool specializeValue = true;
  bool specializeAlignment = true;
  std::optional<DataType> type; ///< of a scalar, where annotated
};

/// Reads the arguments of one launch in order: each adds to the key and, unless
/// it is a constant, one slot.
class ArgumentReader {
public:
  /// With `describe`, also makes the description that the compiler is given.
  explicit ArgumentReader(PyObject *kernelName, bool describe = false)
      : kernelName(kernelName), describe(describe) {}

  /// False with a Python error that names the kernel and the argument.
  bool read(const Parameter &parameter, PyObject *value);

  Key key;
  InlineVector<uint64_t, 64> slots;
  Device device; ///< where the arrays are; None without arrays
  std::optional<uint64_t> stream;
  bool usesTorchStream = false;

  /// One entry a parameter: (type, divisor), ("constexpr", value), or a list of
  /// entries for a tuple.
  std::vector<Ref> descriptions;
  /// Of the arrays that must not be written, the number of their argument among
  /// those that are passed; a descriptor is one, whatever slots it takes.
  std::vector<uint32_t> readOnlyArguments;
  /// The arrays whose addresses are among the slots, in their order; borrowed.
  InlineVector<PyObject *, 32> arrays;

  /// Adds a slot for the beginning and one for the end of each array's memory.
  bool addExtents();

private:
  bool readValue(PyObject *value);
  bool readTuple(PyObject *value);
  bool readConstant(PyObject *value);
  bool readInteger(PyObject *value);
  bool readTypedInteger(PyObject *value, DataType type);
  bool readFloat(double value);
  bool readBool(bool value);
  bool readPointer(PyObject *value, ArgumentKind kind);
  bool readDescriptor(PyObject *value);
  bool mergeDevice(const Array &array);
  bool addScalar(DataType type, uint64_t bits, bool divisible);
  bool addTypedOne(DataType type);
  bool addDescription(PyObject *description);
  void nameError();

  PyObject *kernelName;
  bool describe;
  uint32_t passed = 0; ///< arguments so far
  const Parameter *parameter = nullptr;
  PyObject *firstArray = nullptr; ///< the name of the parameter that set `device`
  std::vector<Ref> kept;
};

} // namespace tile::runtime

#endif // TILE_RUNTIME_LAUNCHER_ARGUMENTS_H
