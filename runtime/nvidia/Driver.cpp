//===- Driver.cpp - The few driver functions a launch needs ---------------===//
#include "runtime/nvidia/Driver.h"

#include "runtime/launcher/Registry.h"

#include <dlfcn.h>

namespace tile::runtime::nvidia {

Driver &Driver::get() {
  static Driver driver;
  return driver;
}

template <typename Function>
static bool find(void *library, const char *symbol, Function &function) {
  function = reinterpret_cast<Function>(dlsym(library, symbol));
  return function;
}

bool Driver::open() {
  if (isOpen)
    return true;
  void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    Ref error(PyObject_CallNoArgs(Registry::get().missingDriver.get()));
    if (error)
      PyErr_SetObject(reinterpret_cast<PyObject *>(Py_TYPE(error.get())), error.get());
    return false;
  }
  isOpen = find(library, "cuLaunchKernel", launchKernel) &&
           find(library, "cuCtxGetCurrent", getCurrentContext) &&
           find(library, "cuCtxPushCurrent_v2", pushContext) &&
           find(library, "cuCtxPopCurrent_v2", popContext) &&
           find(library, "cuPointerGetAttribute", pointerGetAttribute) &&
           find(library, "cuGetErrorName", getErrorName) &&
           find(library, "cuGetErrorString", getErrorString);
  find(library, "cuLaunchKernelEx", launchKernelEx);
  find(library, "cuTensorMapEncodeTiled", encodeTensorMap);
  if (!isOpen)
    PyErr_SetString(PyExc_RuntimeError, "libcuda.so.1 lacks functions of CUDA 11; install a newer "
                                        "NVIDIA driver");
  return isOpen;
}

void Driver::raise(const std::string &kernel, const char *call, Result result) {
  const char *name = "unknown error", *text = "";
  getErrorName(result, &name);
  getErrorString(result, &text);
  PyErr_Format(PyExc_RuntimeError, "kernel '%s': %s failed with %s (%d): %s", kernel.c_str(), call,
               name, result, text);
}

int Driver::getDeviceOf(uint64_t address) {
  constexpr int deviceOrdinal = 9; // CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL
  if (!open())
    return -1;
  int index = -1;
  Result result = pointerGetAttribute(&index, deviceOrdinal, address);
  if (result) {
    PyErr_Format(PyExc_ValueError,
                 "has the address %p, which the driver does not know as GPU memory "
                 "(cuPointerGetAttribute gives %d)",
                 reinterpret_cast<void *>(address), result);
    return -1;
  }
  return index;
}

} // namespace tile::runtime::nvidia
