//===- Descriptors.cpp - Arrays with the shape of their blocks ------------===//
//
// A descriptor is passed as the address of its array, its sizes, and the strides
// of all dimensions but the last, whose stride is one. It is read anew for each
// launch: programs change its fields between launches.
//
//===----------------------------------------------------------------------===//
#include "runtime/launcher/Arguments.h"

#include <limits>
#include <string>

namespace tile::runtime {

namespace {
/// What a descriptor says beside its array.
struct Description {
  InlineVector<int64_t, 5> shape, strides, block;
  bool nanPadding = false, roundsToTF32 = false;
};
} // namespace

static constexpr uint64_t alignment = 16;
static constexpr size_t mostDimensions = 5;

/// The integers of the attribute `name`.
static bool readIntegers(PyObject *value, PyObject *name, InlineVector<int64_t, 5> &result) {
  Ref attribute(PyObject_GetAttr(value, name));
  Ref items(attribute ? PySequence_Fast(attribute.get(), "has sizes that are no sequence")
                      : nullptr);
  if (!items)
    return false;
  for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(items.get()); ++i) {
    PyObject *item = PySequence_Fast_GET_ITEM(items.get(), i);
    Ref number(PyLong_CheckExact(item) ? Py_NewRef(item) : PyNumber_Index(item));
    long long integer = number ? PyLong_AsLongLong(number.get()) : -1;
    if (integer == -1 && PyErr_Occurred())
      return false;
    result.push(integer);
  }
  return true;
}

static bool readFlags(PyObject *value, Description &result) {
  Names &names = Registry::get().names;
  Ref padding(PyObject_GetAttr(value, names.padding));
  Ref rounds(PyObject_GetAttr(value, names.roundToTF32));
  if (!padding || !rounds)
    return false;
  result.nanPadding =
      PyUnicode_Check(padding.get()) && PyUnicode_CompareWithASCIIString(padding.get(), "nan") == 0;
  result.roundsToTF32 = PyObject_IsTrue(rounds.get()) == 1;
  return !PyErr_Occurred();
}

/// What accesses rely on; the host's class has checked it, but fields may have changed.
static bool checkDescription(const Description &description, const Array &array) {
  size_t rank = description.shape.size();
  if (rank == 0 || rank > mostDimensions || description.strides.size() != rank ||
      description.block.size() != rank) {
    PyErr_Format(PyExc_ValueError,
                 "is a descriptor of %zu sizes, %zu strides and %zu sizes of a "
                 "block; expected one to five of each",
                 rank, description.strides.size(), description.block.size());
    return false;
  }
  int64_t bytes = getByteWidth(array.type);
  bool aligned = array.address % alignment == 0;
  for (size_t i = 0; i + 1 < rank; ++i)
    aligned &= description.strides[i] * bytes % static_cast<int64_t>(alignment) == 0;
  if (!aligned || description.strides[rank - 1] != 1) {
    PyErr_SetString(PyExc_ValueError, "is a descriptor whose base or strides are not 16-byte "
                                      "aligned, or whose last stride is not 1");
    return false;
  }
  for (int64_t size : description.shape)
    if (size < 0 || size > std::numeric_limits<int32_t>::max()) {
      PyErr_SetString(PyExc_OverflowError, "is a descriptor with a size beyond 32 bits");
      return false;
    }
  return true;
}

/// "tensordesc<fp16[128,64],nan>"
static std::string getSpelling(const Description &description, DataType type) {
  std::string text = std::string("tensordesc<") + getName(type) + "[";
  for (size_t i = 0; i < description.block.size(); ++i)
    text += (i ? "," : "") + std::to_string(description.block[i]);
  text += "]";
  if (description.nanPadding)
    text += ",nan";
  if (description.roundsToTF32)
    text += ",tf32";
  return text + ">";
}

bool ArgumentReader::readDescriptor(PyObject *value) {
  Names &names = Registry::get().names;
  Description description;
  Ref base(PyObject_GetAttr(value, names.base));
  if (!base || !readIntegers(value, names.shape, description.shape) ||
      !readIntegers(value, names.strides, description.strides) ||
      !readIntegers(value, names.blockShape, description.block) || !readFlags(value, description))
    return false;
  kept.push_back(base);
  Array array;
  if (!readArray(base.get(), Registry::get().kindOf(base.get()), array, kept) ||
      !mergeDevice(array) || !checkDescription(description, array))
    return false;
  size_t rank = description.shape.size();
  bool divisible = description.shape[rank - 1] % static_cast<int64_t>(alignment) == 0 &&
                   parameter->specializeAlignment;
  key.addByte('d');
  key.addByte(static_cast<uint8_t>(array.type));
  key.addByte(static_cast<uint8_t>(rank));
  key.addByte(static_cast<uint8_t>((divisible ? 1 : 0) | (array.writable ? 0 : 2) |
                                   (description.nanPadding ? 4 : 0) |
                                   (description.roundsToTF32 ? 8 : 0)));
  for (int64_t size : description.block)
    key.addWord(static_cast<uint64_t>(size));
  if (!array.writable)
    readOnlyArguments.push_back(passed);
  ++passed;
  arrays.push(base.get()); // kept alive by `kept`
  slots.push(array.address);
  for (int64_t size : description.shape)
    slots.push(static_cast<uint64_t>(size));
  for (size_t i = 0; i + 1 < rank; ++i)
    slots.push(static_cast<uint64_t>(description.strides[i]));
  if (!describe)
    return true;
  return addDescription(Py_BuildValue("(si)", getSpelling(description, array.type).c_str(),
                                      divisible ? static_cast<int>(alignment) : 1));
}

} // namespace tile::runtime
