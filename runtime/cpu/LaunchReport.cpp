//===- LaunchReport.cpp - What kernels say during a launch ----------------===//
#include "runtime/cpu/LaunchReport.h"

#include "runtime/launcher/Registry.h"

namespace tile::runtime::cpu {

static thread_local LaunchReport *currentReport = nullptr;

LaunchReport::Scope::Scope(LaunchReport &report) : outer(currentReport) { currentReport = &report; }
LaunchReport::Scope::~Scope() { currentReport = outer; }

LaunchReport *LaunchReport::getCurrent() { return currentReport; }

void LaunchReport::setOutOfMemory() {
  std::lock_guard<std::mutex> lock(mutex);
  isOutOfMemory = true;
  failed = true;
}

void LaunchReport::setFailure(const char *what, const char *where) {
  std::lock_guard<std::mutex> lock(mutex);
  if (failed.exchange(true))
    return;
  message = what;
  place = where;
}

void LaunchReport::print(const std::string &lines) {
  std::lock_guard<std::mutex> lock(mutex);
  text += lines;
  hasText = true;
}

static bool writeText(const std::string &text) {
  PyObject *output = PySys_GetObject("stdout");
  if (!output || output == Py_None)
    return true;
  // A prefix may hold any bytes of a source file.
  Ref string(PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "replace"));
  if (!string)
    return false;
  return static_cast<bool>(
      Ref(PyObject_CallMethodOneArg(output, Registry::get().names.write, string.get())));
}

bool LaunchReport::finish(const std::string &kernelName) {
  if (hasText && !writeText(text))
    return false;
  if (!failed)
    return true;
  if (isOutOfMemory) {
    PyErr_NoMemory();
    return false;
  }
  Ref error(PyObject_CallFunction(Registry::get().deviceFailure.get(), "sss", kernelName.c_str(),
                                  message.c_str(), place.c_str()));
  if (error)
    PyErr_SetObject(reinterpret_cast<PyObject *>(Py_TYPE(error.get())), error.get());
  return false;
}

} // namespace tile::runtime::cpu
