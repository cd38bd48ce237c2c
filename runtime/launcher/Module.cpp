//===- Module.cpp - The extension module tilewright._launcher -------------===//
#include "runtime/cpu/CpuKernel.h"
#include "runtime/cpu/ThreadPool.h"
#include "runtime/launcher/Launcher.h"
#include "runtime/nvidia/NvidiaKernel.h"

using namespace tile::runtime;

static bool readTypes(PyObject *tuple, std::vector<Ref> &result) {
  std::vector<Ref> types;
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(tuple); ++i) {
    PyObject *type = PyTuple_GET_ITEM(tuple, i);
    if (!PyType_Check(type)) {
      PyErr_Format(PyExc_TypeError, "expected a type, got %R", type);
      return false;
    }
    types.push_back(Ref::borrow(type));
  }
  result = std::move(types);
  return true;
}

static PyObject *registerTypes(PyObject *, PyObject *args, PyObject *keywords) {
  static const char *names[] = {"constexpr", "function", "descriptor", nullptr};
  PyObject *constexprTypes, *functionTypes, *descriptorTypes;
  if (!PyArg_ParseTupleAndKeywords(args, keywords, "$O!O!O!", const_cast<char **>(names),
                                   &PyTuple_Type, &constexprTypes, &PyTuple_Type, &functionTypes,
                                   &PyTuple_Type, &descriptorTypes))
    return nullptr;
  Registry &registry = Registry::get();
  if (!readTypes(constexprTypes, registry.constexprTypes) ||
      !readTypes(functionTypes, registry.functionTypes) ||
      !readTypes(descriptorTypes, registry.descriptorTypes))
    return nullptr;
  Py_RETURN_NONE;
}

static PyObject *registerCallbacks(PyObject *, PyObject *args, PyObject *keywords) {
  static const char *names[] = {"classify_dtype", "describe_device", "describe_extent",
                                "device_failure", "missing_driver",  nullptr};
  PyObject *dtype, *device, *extent, *failure, *driver;
  if (!PyArg_ParseTupleAndKeywords(args, keywords, "$OOOOO", const_cast<char **>(names), &dtype,
                                   &device, &extent, &failure, &driver))
    return nullptr;
  Registry &registry = Registry::get();
  registry.classifyDtype = Ref::borrow(dtype);
  registry.describeDevice = Ref::borrow(device);
  registry.describeExtent = Ref::borrow(extent);
  registry.deviceFailure = Ref::borrow(failure);
  registry.missingDriver = Ref::borrow(driver);
  Py_RETURN_NONE;
}

static PyObject *loadCpu(PyObject *, PyObject *args) {
  const char *name;
  Py_buffer library;
  Py_ssize_t scratchBytes;
  int takesExtents = 0;
  if (!PyArg_ParseTuple(args, "sy*n|p", &name, &library, &scratchBytes, &takesExtents))
    return nullptr;
  PyObject *result = cpu::loadCpuKernel(name, library.buf, static_cast<size_t>(library.len),
                                        static_cast<size_t>(scratchBytes), takesExtents);
  PyBuffer_Release(&library);
  return result;
}

static PyObject *wrapNvidia(PyObject *, PyObject *args) {
  const char *name;
  unsigned long long function, context;
  nvidia::LaunchShape shape;
  PyObject *owner, *descriptors = nullptr;
  int isCooperative = 0, mayOverlap = 0;
  if (!PyArg_ParseTuple(args, "sKKIIIO|ppOI", &name, &function, &context, &shape.threads,
                        &shape.sharedBytes, &shape.clusterSize, &owner, &isCooperative, &mayOverlap,
                        &descriptors, &shape.mostBlocks))
    return nullptr;
  shape.isCooperative = isCooperative;
  shape.mayOverlap = mayOverlap;
  return nvidia::wrapNvidiaKernel(name, function, context, shape, descriptors, owner);
}

static PyObject *setThreadCount(PyObject *, PyObject *number) {
  long count = PyLong_AsLong(number);
  if (count == -1 && PyErr_Occurred())
    return nullptr;
  if (count < 1) {
    PyErr_Format(PyExc_ValueError, "expected at least 1 thread, got %ld", count);
    return nullptr;
  }
  cpu::ThreadPool::setThreadCount(static_cast<int>(count));
  Py_RETURN_NONE;
}

static PyObject *getThreadCount(PyObject *, PyObject *) {
  return PyLong_FromLong(cpu::ThreadPool::get().getThreadCount());
}

template <typename Function> static PyCFunction toMethod(Function *function) {
  return reinterpret_cast<PyCFunction>(reinterpret_cast<void *>(function));
}

static PyMethodDef methods[] = {
    {"register_types", toMethod(registerTypes), METH_VARARGS | METH_KEYWORDS,
     "register_types(*, constexpr, function, descriptor): tuples of the language's types."},
    {"register_callbacks", toMethod(registerCallbacks), METH_VARARGS | METH_KEYWORDS,
     "register_callbacks(*, classify_dtype, describe_device, describe_extent, device_failure, "
     "missing_driver)"},
    {"load_cpu", loadCpu, METH_VARARGS,
     "load_cpu(name, library, scratch_bytes, takes_extents=False) -> Executable"},
    {"wrap_nvidia", wrapNvidia, METH_VARARGS,
     "wrap_nvidia(name, function, context, threads, shared_bytes, cluster_size, owner, "
     "cooperative=False, overlap=False, descriptors=(), most_blocks=0) -> Executable"},
    {"set_num_threads", setThreadCount, METH_O,
     "Threads that run a grid on the CPU, the caller included."},
    {"get_num_threads", getThreadCount, METH_NOARGS, nullptr},
    {}};

static PyModuleDef definition = {PyModuleDef_HEAD_INIT,
                                 "tilewright._launcher",
                                 "Specializes on arguments, packs them and launches.",
                                 -1,
                                 methods,
                                 nullptr,
                                 nullptr,
                                 nullptr,
                                 nullptr};

PyMODINIT_FUNC PyInit__launcher() {
  Ref module(PyModule_Create(&definition));
  if (!module || !addLauncherTypes(module.get()))
    return nullptr;
  return module.release();
}
