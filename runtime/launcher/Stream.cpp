//===- Stream.cpp - The stream a launch goes to ---------------------------===//
#include "runtime/launcher/Stream.h"

namespace tile::runtime {

/// torch's function from a device index to the handle of its current stream; null
/// without torch. Not imported here: a tensor of torch means that it is loaded.
static PyObject *getTorchStreamFunction() {
  static PyObject *function = nullptr;
  if (function)
    return function;
  PyObject *modules = PyImport_GetModuleDict();
  PyObject *torch = PyDict_GetItemString(modules, "torch");
  Ref core(torch ? PyObject_GetAttrString(torch, "_C") : nullptr);
  function = core ? PyObject_GetAttrString(core.get(), "_cuda_getCurrentRawStream") : nullptr;
  PyErr_Clear();
  return function;
}

bool findStream(const ArgumentReader &reader, uint64_t &stream) {
  stream = reader.stream.value_or(0);
  if (!reader.usesTorchStream)
    return true;
  PyObject *function = getTorchStreamFunction();
  if (!function)
    return true; // a holder of a pointer from elsewhere
  Ref index(PyLong_FromLong(reader.device.index));
  Ref handle(index ? PyObject_CallOneArg(function, index.get()) : nullptr);
  if (!handle)
    return false;
  stream = PyLong_AsUnsignedLongLongMask(handle.get());
  return !PyErr_Occurred();
}

} // namespace tile::runtime
