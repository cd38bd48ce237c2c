//===- Arrays.cpp - Addresses of the arrays of many libraries -------------===//
#include "runtime/launcher/Arrays.h"

#include "runtime/nvidia/Driver.h"

#include <cstring>
#include <string_view>

namespace tile::runtime {

//===----------------------------------------------------------------------===//
// numpy
//===----------------------------------------------------------------------===//

namespace {
/// The head of PyArrayObject, which numpy's own macros read in this way in every
/// extension: part of its binary interface since 1.7.
struct NumpyFields {
  PyObject_HEAD char *data;
  int rank;
  Py_ssize_t *shape, *strides;
  PyObject *base, *dtype;
  int flags;
};
enum NumpyFlags { NumpyAligned = 0x100, NumpyWriteable = 0x400 };
} // namespace

bool isNumpyLayoutKnown(PyObject *array) {
  auto *fields = reinterpret_cast<NumpyFields *>(array);
  Ref interface(PyObject_GetAttr(array, Registry::get().names.arrayInterface));
  Ref dtype(PyObject_GetAttr(array, Registry::get().names.dtype));
  PyObject *data =
      interface ? PyDict_GetItem(interface.get(), Registry::get().names.data) : nullptr;
  if (!data || !PyTuple_Check(data) || fields->dtype != dtype.get())
    return false;
  void *address = PyLong_AsVoidPtr(PyTuple_GET_ITEM(data, 0));
  bool readOnly = PyObject_IsTrue(PyTuple_GET_ITEM(data, 1)) == 1;
  return address == fields->data && readOnly == !(fields->flags & NumpyWriteable);
}

static bool readNumpy(PyObject *value, Array &result) {
  auto *fields = reinterpret_cast<NumpyFields *>(value);
  if (!(fields->flags & NumpyAligned)) {
    PyErr_SetString(PyExc_ValueError,
                    "is an array whose elements are not aligned to their size; pass a copy");
    return false;
  }
  result.address = reinterpret_cast<uint64_t>(fields->data);
  result.writable = fields->flags & NumpyWriteable;
  result.device = {Device::Cpu, 0};
  return Registry::get().readDtype(fields->dtype, result.type);
}

//===----------------------------------------------------------------------===//
// torch, and whatever has data_ptr() and dtype
//===----------------------------------------------------------------------===//

static bool readAddress(PyObject *value, Array &result) {
  Names &names = Registry::get().names;
  Ref address(PyObject_CallMethodNoArgs(value, names.dataPtr));
  if (!address)
    return false;
  result.address = PyLong_AsUnsignedLongLongMask(address.get());
  if (PyErr_Occurred())
    return false;
  Ref dtype(PyObject_GetAttr(value, names.dtype));
  return dtype && Registry::get().readDtype(dtype.get(), result.type);
}

/// The device type of torch's "cuda": a build for ROCm uses that name as well.
static int32_t getTorchGpuType() {
  static int32_t type = [] {
    Ref torch(PyImport_ImportModule("torch"));
    Ref version(torch ? PyObject_GetAttrString(torch.get(), "version") : nullptr);
    Ref hip(version ? PyObject_GetAttrString(version.get(), "hip") : nullptr);
    bool isHip = hip && hip.get() != Py_None;
    PyErr_Clear();
    return isHip ? Device::Rocm : Device::Cuda;
  }();
  return type;
}

static bool isTrue(PyObject *value, PyObject *name) {
  Ref attribute(PyObject_GetAttr(value, name));
  return attribute && PyObject_IsTrue(attribute.get()) == 1;
}

static bool readTorch(PyObject *value, Array &result) {
  Names &names = Registry::get().names;
  if (isTrue(value, names.isCuda)) {
    Ref index(PyObject_CallMethodNoArgs(value, names.getDevice));
    if (!index)
      return false;
    result.device = {getTorchGpuType(), static_cast<int32_t>(PyLong_AsLong(index.get()))};
    result.usesTorchStream = true;
  } else if (isTrue(value, names.isCpu)) {
    result.device = {Device::Cpu, 0};
  } else {
    if (PyErr_Occurred())
      return false;
    Ref device(PyObject_GetAttrString(value, "device"));
    if (device)
      PyErr_Format(PyExc_TypeError, "is a tensor on device %S, where kernels cannot run",
                   device.get());
    return false;
  }
  return readAddress(value, result);
}

static bool readPointerHolder(PyObject *value, Array &result) {
  Ref device(PyObject_CallOneArg(Registry::get().describeDevice.get(), value));
  if (!device || !PyArg_ParseTuple(device.get(), "ii", &result.device.type, &result.device.index))
    return false;
  result.usesTorchStream = result.device.isGpu();
  return readAddress(value, result);
}

//===----------------------------------------------------------------------===//
// __cuda_array_interface__
//===----------------------------------------------------------------------===//

/// Types by their spelling in array interfaces, such as "<f4".
static std::optional<DataType> parseTypestr(std::string_view text) {
  if (text.size() < 3 || text[0] == '>')
    return std::nullopt;
  static const std::pair<const char *, DataType> table[] = {
      {"b1", DataType::I1},   {"i1", DataType::I8},   {"i2", DataType::I16},
      {"i4", DataType::I32},  {"i8", DataType::I64},  {"u1", DataType::U8},
      {"u2", DataType::U16},  {"u4", DataType::U32},  {"u8", DataType::U64},
      {"f2", DataType::FP16}, {"f4", DataType::FP32}, {"f8", DataType::FP64}};
  for (auto &[name, type] : table)
    if (text.substr(1) == name)
      return type;
  return std::nullopt;
}

static bool readInterfaceType(PyObject *value, PyObject *interface, DataType &result) {
  PyObject *typestr = PyDict_GetItem(interface, Registry::get().names.typestr);
  const char *text = typestr && PyUnicode_Check(typestr) ? PyUnicode_AsUTF8(typestr) : nullptr;
  if (std::optional<DataType> type = text ? parseTypestr(text) : std::nullopt) {
    result = *type;
    return true;
  }
  // bfloat16 and 8-bit floats have no spelling there, but the array's dtype tells.
  Ref dtype(PyObject_GetAttr(value, Registry::get().names.dtype));
  if (dtype)
    return Registry::get().readDtype(dtype.get(), result);
  PyErr_Clear();
  PyErr_Format(PyExc_TypeError, "has elements of type '%s', which kernels do not know",
               text ? text : "?");
  return false;
}

static bool readCudaArray(PyObject *value, Array &result) {
  Names &names = Registry::get().names;
  Ref interface(PyObject_GetAttr(value, names.cudaArrayInterface));
  if (!interface)
    return false;
  PyObject *data =
      PyDict_Check(interface.get()) ? PyDict_GetItem(interface.get(), names.data) : nullptr;
  if (!data || !PyTuple_Check(data) || PyTuple_GET_SIZE(data) != 2) {
    PyErr_SetString(PyExc_TypeError, "has a __cuda_array_interface__ without a data pair");
    return false;
  }
  result.address = PyLong_AsUnsignedLongLongMask(PyTuple_GET_ITEM(data, 0));
  int readOnly = PyObject_IsTrue(PyTuple_GET_ITEM(data, 1));
  if (PyErr_Occurred())
    return false;
  result.writable = !readOnly;
  if (PyObject *stream = PyDict_GetItem(interface.get(), names.stream)) {
    if (PyLong_Check(stream))
      result.stream = PyLong_AsUnsignedLongLongMask(stream);
  }
  if (!readInterfaceType(value, interface.get(), result.type))
    return false;
  // An empty array has no address and may be anywhere.
  if (!result.address)
    return true;
  int index = nvidia::Driver::get().getDeviceOf(result.address);
  if (index < 0)
    return false;
  result.device = {Device::Cuda, index};
  return true;
}

//===----------------------------------------------------------------------===//
// DLPack
//===----------------------------------------------------------------------===//

namespace {
/// DLTensor of DLPack's stable C interface.
struct DLTensor {
  void *data;
  int32_t deviceType, deviceIndex;
  int32_t rank;
  uint8_t typeCode, typeBits;
  uint16_t typeLanes;
  int64_t *shape, *strides;
  uint64_t byteOffset;
};
} // namespace

static std::optional<DataType> getDLPackType(const DLTensor &tensor) {
  struct Entry {
    uint8_t code, bits;
    DataType type;
  };
  static const Entry table[] = {
      {0, 8, DataType::I8},     {0, 16, DataType::I16},     {0, 32, DataType::I32},
      {0, 64, DataType::I64},   {1, 8, DataType::U8},       {1, 16, DataType::U16},
      {1, 32, DataType::U32},   {1, 64, DataType::U64},     {2, 16, DataType::FP16},
      {2, 32, DataType::FP32},  {2, 64, DataType::FP64},    {4, 16, DataType::BF16},
      {6, 8, DataType::I1},     {10, 8, DataType::FP8E4NV}, {11, 8, DataType::FP8E4B8},
      {12, 8, DataType::FP8E5}, {13, 8, DataType::FP8E5B16}};
  for (const Entry &entry : table)
    if (entry.code == tensor.typeCode && entry.bits == tensor.typeBits && tensor.typeLanes == 1)
      return entry.type;
  return std::nullopt;
}

/// Ask for the tensor on the stream the kernel will run on: the legacy default
/// stream, which is number 1 for CUDA and 0 for ROCm.
static Ref callDLPack(PyObject *value, Device device) {
  Names &names = Registry::get().names;
  if (!device.isGpu())
    return Ref(PyObject_CallMethodNoArgs(value, names.dlpack));
  Ref method(PyObject_GetAttr(value, names.dlpack));
  Ref arguments(PyTuple_New(0));
  Ref keywords(Py_BuildValue("{s:i}", "stream", device.type == Device::Cuda ? 1 : 0));
  if (!method || !arguments || !keywords)
    return Ref();
  return Ref(PyObject_Call(method.get(), arguments.get(), keywords.get()));
}

static bool readDLPack(PyObject *value, Array &result, std::vector<Ref> &kept) {
  Ref device(PyObject_CallMethodNoArgs(value, Registry::get().names.dlpackDevice));
  // The type may be an enum of Python.
  Ref pair(device ? PySequence_Tuple(device.get()) : nullptr);
  if (!pair || !PyArg_ParseTuple(pair.get(), "ii", &result.device.type, &result.device.index))
    return false;
  Ref capsule = callDLPack(value, result.device);
  if (!capsule)
    return false;
  auto *tensor = static_cast<DLTensor *>(PyCapsule_GetPointer(capsule.get(), "dltensor"));
  if (!tensor)
    return false;
  std::optional<DataType> type = getDLPackType(*tensor);
  if (!type) {
    PyErr_Format(PyExc_TypeError,
                 "has elements of DLPack type code %d with %d bits, which kernels do not know",
                 tensor->typeCode, tensor->typeBits);
    return false;
  }
  result.type = *type;
  result.address = reinterpret_cast<uint64_t>(tensor->data) + tensor->byteOffset;
  // Its destructor frees the tensor, which nobody has taken over.
  kept.push_back(std::move(capsule));
  return true;
}

//===----------------------------------------------------------------------===//

/// Memory that the CPU can read counts as the CPU's.
static bool settleDevice(Array &array) {
  if (array.device.type == Device::CudaHost)
    array.device = {Device::Cpu, 0};
  if (array.device.type == Device::CudaManaged)
    array.device.type = Device::Cuda;
  if (array.device.type == Device::None || array.device.type == Device::Cpu || array.device.isGpu())
    return true;
  PyErr_Format(PyExc_TypeError, "is on a device of DLPack type %d, where kernels cannot run",
               array.device.type);
  return false;
}

bool readArray(PyObject *value, ArgumentKind kind, Array &result, std::vector<Ref> &kept) {
  switch (kind) {
  case ArgumentKind::NumpyArray:
    return readNumpy(value, result);
  case ArgumentKind::TorchTensor:
    return readTorch(value, result);
  case ArgumentKind::PointerHolder:
    return readPointerHolder(value, result) && settleDevice(result);
  case ArgumentKind::CudaArray:
    return readCudaArray(value, result) && settleDevice(result);
  default:
    return readDLPack(value, result, kept) && settleDevice(result);
  }
}

} // namespace tile::runtime
