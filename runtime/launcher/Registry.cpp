//===- Registry.cpp - What the launcher knows of Python types -------------===//
#include "runtime/launcher/Registry.h"

#include "runtime/launcher/Arrays.h"

#include <cstring>

namespace tile::runtime {

Registry &Registry::get() {
  // Never destroyed: it owns Python objects, and the interpreter ends first.
  static Registry *registry = new Registry();
  return *registry;
}

Registry::Registry() {
  auto intern = [](const char *text) { return PyUnicode_InternFromString(text); };
  names.value = intern("value");
  names.dtype = intern("dtype");
  names.dataPtr = intern("data_ptr");
  names.getDevice = intern("get_device");
  names.isCuda = intern("is_cuda");
  names.isCpu = intern("is_cpu");
  names.cudaArrayInterface = intern("__cuda_array_interface__");
  names.dlpack = intern("__dlpack__");
  names.dlpackDevice = intern("__dlpack_device__");
  names.stream = intern("stream");
  names.data = intern("data");
  names.typestr = intern("typestr");
  names.arrayInterface = intern("__array_interface__");
  names.write = intern("write");
  names.index = intern("__index__");
  names.floatMethod = intern("__float__");
  names.byteorder = intern("byteorder");
  names.base = intern("base");
  names.shape = intern("shape");
  names.strides = intern("strides");
  names.blockShape = intern("block_shape");
  names.padding = intern("padding");
  names.roundToTF32 = intern("round_f32_to_tf32");
}

bool Registry::contains(const std::vector<Ref> &types, PyTypeObject *type) {
  for (const Ref &entry : types)
    if (PyType_IsSubtype(type, reinterpret_cast<PyTypeObject *>(entry.get())))
      return true;
  return false;
}

ArgumentKind Registry::kindOf(PyObject *value) {
  PyTypeObject *type = Py_TYPE(value);
  auto found = kinds.find(type);
  if (found != kinds.end())
    return found->second;
  ArgumentKind kind = inspect(value);
  PyErr_Clear(); // an attribute that raises is an attribute that is not there
  Py_INCREF(type);
  kinds.emplace(type, kind);
  return kind;
}

/// Whether a base class of the type is `module.name`.
static bool derivesFrom(PyTypeObject *type, const char *module, const char *name) {
  PyObject *order = type->tp_mro;
  for (Py_ssize_t i = 0; order && i < PyTuple_GET_SIZE(order); ++i) {
    PyObject *base = PyTuple_GET_ITEM(order, i);
    const char *full = reinterpret_cast<PyTypeObject *>(base)->tp_name;
    const char *dot = std::strrchr(full, '.');
    if (std::strcmp(dot ? dot + 1 : full, name) != 0)
      continue;
    Ref owner(PyObject_GetAttrString(base, "__module__"));
    if (owner && PyUnicode_Check(owner.get()) &&
        PyUnicode_CompareWithASCIIString(owner.get(), module) == 0)
      return true;
    PyErr_Clear();
  }
  return false;
}

static bool has(PyObject *value, PyObject *name) {
  Ref attribute(PyObject_GetAttr(value, name));
  PyErr_Clear();
  return static_cast<bool>(attribute);
}

ArgumentKind Registry::inspect(PyObject *value) {
  PyTypeObject *type = Py_TYPE(value);
  if (contains(constexprTypes, type))
    return ArgumentKind::Constexpr;
  if (contains(functionTypes, type))
    return ArgumentKind::Function;
  if (contains(descriptorTypes, type))
    return ArgumentKind::Descriptor;
  if (PyTuple_Check(value))
    return ArgumentKind::Tuple;
  if (derivesFrom(type, "numpy", "ndarray") && isNumpyLayoutKnown(value))
    return ArgumentKind::NumpyArray;
  if (derivesFrom(type, "torch", "Tensor"))
    return ArgumentKind::TorchTensor;
  if (derivesFrom(type, "numpy", "bool") || derivesFrom(type, "numpy", "bool_"))
    return ArgumentKind::Bool;
  if (has(value, names.cudaArrayInterface))
    return ArgumentKind::CudaArray;
  if (has(value, names.dataPtr) && has(value, names.dtype))
    return ArgumentKind::PointerHolder;
  if (has(value, names.dlpack) && has(value, names.dlpackDevice))
    return ArgumentKind::DLPackArray;
  // Numbers come last: arrays with one element have these methods too.
  if (has(value, names.index))
    return ArgumentKind::Integer;
  if (has(value, names.floatMethod))
    return ArgumentKind::Float;
  return ArgumentKind::Unsupported;
}

bool Registry::readDtype(PyObject *dtype, DataType &result) {
  auto found = dtypes.find(dtype);
  if (found != dtypes.end()) {
    result = found->second;
    return true;
  }
  Ref name(PyObject_CallOneArg(classifyDtype.get(), dtype));
  const char *text = name ? PyUnicode_AsUTF8(name.get()) : nullptr;
  if (!text)
    return false;
  std::optional<DataType> type = parseDataType(text);
  if (!type) {
    PyErr_Format(PyExc_TypeError, "has elements of type %R, which kernels do not know", dtype);
    return false;
  }
  // Arrays read from a file may each bring a dtype object of their own.
  constexpr size_t limit = 4096;
  if (dtypes.size() >= limit) {
    auto old = std::move(dtypes);
    dtypes.clear();
    for (auto &entry : old)
      Py_DECREF(entry.first);
  }
  if (dtypes.emplace(dtype, *type).second)
    Py_INCREF(dtype);
  result = *type;
  return true;
}

} // namespace tile::runtime
