//===- Arguments.cpp - Specialization and packing of arguments ------------===//
#include "runtime/launcher/Arguments.h"

#include <string>

namespace tile::runtime {

/// What the compiler may assume of an address or an integer.
static constexpr uint64_t alignment = 16;

static std::string toText(Device device) {
  switch (device.type) {
  case Device::Cpu:
    return "the CPU";
  case Device::Rocm:
    return "GPU " + std::to_string(device.index) + " (ROCm)";
  default:
    return "GPU " + std::to_string(device.index);
  }
}

/// Put the kernel and the argument before the message of an error of ours.
void ArgumentReader::nameError() {
  if (!PyErr_ExceptionMatches(PyExc_TypeError) && !PyErr_ExceptionMatches(PyExc_ValueError) &&
      !PyErr_ExceptionMatches(PyExc_OverflowError) && !PyErr_ExceptionMatches(PyExc_BufferError))
    return;
  PyObject *type, *value, *trace;
  PyErr_Fetch(&type, &value, &trace);
  PyErr_NormalizeException(&type, &value, &trace);
  PyErr_Format(type, "kernel '%U': argument '%U' %S", kernelName, parameter->name.get(), value);
  Py_XDECREF(type);
  Py_XDECREF(value);
  Py_XDECREF(trace);
}

bool ArgumentReader::read(const Parameter &parameter, PyObject *value) {
  this->parameter = &parameter;
  bool done = parameter.isConstexpr ? readConstant(value) : readValue(value);
  if (!done)
    nameError();
  return done;
}

bool ArgumentReader::addDescription(PyObject *description) {
  if (!description)
    return false;
  descriptions.emplace_back(description);
  return true;
}

//===----------------------------------------------------------------------===//
// Scalars
//===----------------------------------------------------------------------===//

bool ArgumentReader::readConstant(PyObject *value) {
  if (Registry::get().isConstexpr(Py_TYPE(value))) {
    Ref inner(PyObject_GetAttr(value, Registry::get().names.value));
    if (!inner)
      return false;
    kept.push_back(inner);
    return readConstant(inner.get());
  }
  key.addByte('c');
  if (!key.addConstant(value))
    return false;
  return !describe || addDescription(Py_BuildValue("(sO)", "constexpr", value));
}

bool ArgumentReader::addScalar(DataType type, uint64_t bits, bool divisible) {
  key.addByte(static_cast<uint8_t>(type));
  key.addByte(divisible ? 'D' : '.');
  slots.push(bits);
  ++passed;
  return !describe || addDescription(Py_BuildValue("(si)", getName(type),
                                                   divisible ? static_cast<int>(alignment) : 1));
}

/// 1 as a value of a type that the user chose: passed, but known.
bool ArgumentReader::addTypedOne(DataType type) {
  key.addByte(static_cast<uint8_t>(type));
  key.addByte('1');
  slots.push(1);
  ++passed;
  if (!describe)
    return true;
  Ref known(PyUnicode_FromFormat("%s:1", getName(type)));
  return known && addDescription(Py_BuildValue("(Oi)", known.get(), 1));
}

bool ArgumentReader::readTypedInteger(PyObject *value, DataType type) {
  int overflow;
  long long number = PyLong_AsLongLongAndOverflow(value, &overflow);
  bool fits = overflow == 0 && number >= getMinimum(type) &&
              (number < 0 || static_cast<uint64_t>(number) <= getMaximum(type));
  uint64_t bits = static_cast<uint64_t>(number);
  if (overflow > 0 && type == DataType::U64) {
    bits = PyLong_AsUnsignedLongLong(value);
    fits = !PyErr_Occurred();
    PyErr_Clear();
  }
  if (!fits) {
    PyErr_Format(PyExc_OverflowError, "is %S, which does not fit its type %s", value,
                 getName(type));
    return false;
  }
  if (bits == 1 && parameter->specializeValue)
    return addTypedOne(type);
  bool divisible = parameter->specializeAlignment && bits % alignment == 0;
  return addScalar(type, bits, divisible);
}

bool ArgumentReader::readInteger(PyObject *value) {
  if (parameter->type) {
    if (isFloat(*parameter->type)) {
      double number = PyLong_AsDouble(value);
      return !(number == -1.0 && PyErr_Occurred()) && readFloat(number);
    }
    if (*parameter->type == DataType::I1)
      return readBool(PyObject_IsTrue(value) == 1);
    return readTypedInteger(value, *parameter->type);
  }
  int overflow;
  long long number = PyLong_AsLongLongAndOverflow(value, &overflow);
  if (overflow == 0 && number == 1 && parameter->specializeValue) {
    key.addByte('1');
    return !describe || addDescription(Py_BuildValue("(si)", "constexpr", 1));
  }
  DataType type = overflow > 0                                              ? DataType::U64
                  : overflow == 0 && number == static_cast<int32_t>(number) ? DataType::I32
                                                                            : DataType::I64;
  return readTypedInteger(value, type);
}

bool ArgumentReader::readFloat(double value) {
  DataType type = parameter->type.value_or(DataType::FP32);
  if (!isFloat(type)) {
    PyErr_Format(PyExc_TypeError, "is a float, but its type is %s", getName(type));
    return false;
  }
  std::optional<uint64_t> bits = encodeFloat(type, value);
  if (!bits) {
    PyErr_Format(PyExc_TypeError, "has type %s, which cannot be passed by value; use fp32",
                 getName(type));
    return false;
  }
  return addScalar(type, *bits, false);
}

bool ArgumentReader::readBool(bool value) {
  if (parameter->type && *parameter->type != DataType::I1) {
    Ref number(PyLong_FromLong(value));
    return isFloat(*parameter->type) ? readFloat(value)
                                     : readTypedInteger(number.get(), *parameter->type);
  }
  return addScalar(DataType::I1, value, false);
}

//===----------------------------------------------------------------------===//
// Arrays
//===----------------------------------------------------------------------===//

bool ArgumentReader::mergeDevice(const Array &array) {
  if (array.device.type == Device::None)
    return true;
  if (device.type == Device::None) {
    device = array.device;
    firstArray = parameter->name.get();
  } else if (device != array.device) {
    PyErr_Format(PyExc_ValueError, "is on %s, but argument '%U' is on %s; move one of them",
                 toText(array.device).c_str(), firstArray, toText(device).c_str());
    return false;
  }
  usesTorchStream |= array.usesTorchStream;
  if (!stream)
    stream = array.stream;
  return true;
}

bool ArgumentReader::readPointer(PyObject *value, ArgumentKind kind) {
  Array array;
  if (!readArray(value, kind, array, kept) || !mergeDevice(array))
    return false;
  if (parameter->type) {
    PyErr_Format(PyExc_TypeError, "is an array, but its type is %s", getName(*parameter->type));
    return false;
  }
  bool divisible = parameter->specializeAlignment && array.address % alignment == 0;
  key.addByte(parameter->isConst ? 'k' : '*');
  key.addByte(static_cast<uint8_t>(array.type));
  // Whether the kernel writes it is asked once a key, not once a launch.
  key.addByte((divisible ? 1 : 0) | (array.writable ? 0 : 2));
  if (!array.writable)
    readOnlyArguments.push_back(passed);
  ++passed;
  arrays.push(value);
  slots.push(array.address);
  if (!describe)
    return true;
  std::string name = std::string(parameter->isConst ? "*k" : "*") + getName(array.type);
  return addDescription(
      Py_BuildValue("(si)", name.c_str(), divisible ? static_cast<int>(alignment) : 1));
}

bool ArgumentReader::addExtents() {
  for (PyObject *array : arrays) {
    Ref extent(PyObject_CallOneArg(Registry::get().describeExtent.get(), array));
    unsigned long long begin, end;
    if (!extent || !PyArg_ParseTuple(extent.get(), "KK", &begin, &end))
      return false;
    slots.push(begin);
    slots.push(end);
  }
  return true;
}

//===----------------------------------------------------------------------===//
// Everything
//===----------------------------------------------------------------------===//

bool ArgumentReader::readTuple(PyObject *value) {
  key.addByte('(');
  Py_ssize_t size = PyTuple_GET_SIZE(value);
  key.addWord(static_cast<uint64_t>(size));
  if (!PyTuple_CheckExact(value) && !key.addObject(reinterpret_cast<PyObject *>(Py_TYPE(value))))
    return false;
  std::vector<Ref> outer;
  std::swap(outer, descriptions);
  if (Py_EnterRecursiveCall(" in a kernel's argument"))
    return false;
  bool done = true;
  for (Py_ssize_t i = 0; done && i < size; ++i)
    done = readValue(PyTuple_GET_ITEM(value, i));
  Py_LeaveRecursiveCall();
  std::swap(outer, descriptions);
  if (!done || !describe)
    return done;
  Ref list(PyList_New(static_cast<Py_ssize_t>(outer.size())));
  for (size_t i = 0; list && i < outer.size(); ++i)
    PyList_SET_ITEM(list.get(), static_cast<Py_ssize_t>(i), outer[i].release());
  return addDescription(Py_BuildValue("(OO)", Py_TYPE(value), list.get()));
}

bool ArgumentReader::readValue(PyObject *value) {
  if (PyLong_CheckExact(value))
    return readInteger(value);
  if (PyFloat_CheckExact(value))
    return readFloat(PyFloat_AS_DOUBLE(value));
  if (PyBool_Check(value))
    return readBool(value == Py_True);
  if (value == Py_None)
    return readConstant(value);
  ArgumentKind kind = Registry::get().kindOf(value);
  switch (kind) {
  case ArgumentKind::Constexpr:
  case ArgumentKind::Function:
    return readConstant(value);
  case ArgumentKind::Tuple:
    return readTuple(value);
  case ArgumentKind::Descriptor:
    return readDescriptor(value);
  case ArgumentKind::Bool:
    return readBool(PyObject_IsTrue(value) == 1);
  case ArgumentKind::Integer: {
    Ref number(PyNumber_Index(value));
    return number && readInteger(number.get());
  }
  case ArgumentKind::Float: {
    double number = PyFloat_AsDouble(value);
    return !(number == -1.0 && PyErr_Occurred()) && readFloat(number);
  }
  case ArgumentKind::Unsupported:
    PyErr_Format(PyExc_TypeError,
                 "is of type %s; expected an array, a number, a bool, None, a tuple of these or "
                 "a constexpr",
                 Py_TYPE(value)->tp_name);
    return false;
  default:
    return readPointer(value, kind);
  }
}

} // namespace tile::runtime
