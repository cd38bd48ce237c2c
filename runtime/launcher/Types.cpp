//===- Types.cpp - The Python types of the launcher -----------------------===//
#include "runtime/launcher/Launcher.h"

#include <cstddef>
#include <structmember.h>

namespace tile::runtime {

PyTypeObject *executableType = nullptr;

//===----------------------------------------------------------------------===//
// Executable
//===----------------------------------------------------------------------===//

PyObject *wrapExecutable(Executable *executable) {
  auto *object = PyObject_New(ExecutableObject, executableType);
  if (!object) {
    delete executable;
    return nullptr;
  }
  object->executable = executable;
  return reinterpret_cast<PyObject *>(object);
}

static void freeExecutable(PyObject *self) {
  PyTypeObject *type = Py_TYPE(self);
  delete reinterpret_cast<ExecutableObject *>(self)->executable;
  PyObject_Free(self);
  Py_DECREF(type);
}

static PyObject *getExecutableName(PyObject *self, void *) {
  return PyUnicode_FromString(reinterpret_cast<ExecutableObject *>(self)->executable->name.c_str());
}

static PyGetSetDef executableFields[] = {
    {"name", getExecutableName, nullptr, "The kernel's symbol.", nullptr}, {}};

static PyType_Slot executableSlots[] = {{Py_tp_doc, const_cast<char *>("A loaded kernel.")},
                                        {Py_tp_dealloc, reinterpret_cast<void *>(freeExecutable)},
                                        {Py_tp_getset, executableFields},
                                        {0, nullptr}};
static PyType_Spec executableSpec = {"tilewright._launcher.Executable", sizeof(ExecutableObject), 0,
                                     Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
                                     executableSlots};

//===----------------------------------------------------------------------===//
// A launcher with a grid
//===----------------------------------------------------------------------===//

namespace {
struct LauncherObject {
  PyObject_HEAD Launcher *launcher;
};

/// What `launcher[grid]` is: only there to be called.
struct BoundObject {
  PyObject_HEAD vectorcallfunc vectorcall;
  LauncherObject *owner;
  PyObject *grid;
};
} // namespace

static PyTypeObject *boundType = nullptr;

static PyObject *callBound(PyObject *self, PyObject *const *args, size_t flags, PyObject *names) {
  auto *bound = reinterpret_cast<BoundObject *>(self);
  return bound->owner->launcher->call(bound->grid, args,
                                      static_cast<size_t>(PyVectorcall_NARGS(flags)), names);
}

static PyObject *bindGrid(PyObject *self, PyObject *grid) {
  auto *bound = PyObject_New(BoundObject, boundType);
  if (!bound)
    return nullptr;
  bound->vectorcall = callBound;
  bound->owner = reinterpret_cast<LauncherObject *>(Py_NewRef(self));
  bound->grid = Py_NewRef(grid);
  return reinterpret_cast<PyObject *>(bound);
}

static void freeBound(PyObject *self) {
  auto *bound = reinterpret_cast<BoundObject *>(self);
  PyTypeObject *type = Py_TYPE(self);
  Py_DECREF(bound->owner);
  Py_DECREF(bound->grid);
  PyObject_Free(self);
  Py_DECREF(type);
}

static PyMemberDef boundMembers[] = {
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(BoundObject, vectorcall), READONLY, nullptr}, {}};
static PyType_Slot boundSlots[] = {
    {Py_tp_doc, const_cast<char *>("A kernel with a grid: call it with the kernel's arguments.")},
    {Py_tp_dealloc, reinterpret_cast<void *>(freeBound)},
    {Py_tp_call, reinterpret_cast<void *>(PyVectorcall_Call)},
    {Py_tp_members, boundMembers},
    {0, nullptr}};
static PyType_Spec boundSpec = {"tilewright._launcher.BoundLauncher", sizeof(BoundObject), 0,
                                Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_VECTORCALL |
                                    Py_TPFLAGS_DISALLOW_INSTANTIATION,
                                boundSlots};

//===----------------------------------------------------------------------===//
// Launcher
//===----------------------------------------------------------------------===//

static Launcher &get(PyObject *self) { return *reinterpret_cast<LauncherObject *>(self)->launcher; }

/// (name, (default,) or (), is_constexpr, is_const, value, alignment, type or None)
static bool parseParameter(PyObject *tuple, Parameter &parameter) {
  PyObject *name, *defaults;
  int isConstexpr, isConst, value, alignment;
  const char *type;
  if (!PyArg_ParseTuple(tuple, "UO!ppppz", &name, &PyTuple_Type, &defaults, &isConstexpr, &isConst,
                        &value, &alignment, &type))
    return false;
  Py_INCREF(name);
  PyUnicode_InternInPlace(&name);
  parameter.name = Ref(name);
  if (PyTuple_GET_SIZE(defaults))
    parameter.defaultValue = Ref::borrow(PyTuple_GET_ITEM(defaults, 0));
  parameter.isConstexpr = isConstexpr;
  parameter.isConst = isConst;
  parameter.specializeValue = value;
  parameter.specializeAlignment = alignment;
  if (type && !(parameter.type = parseDataType(type))) {
    PyErr_Format(PyExc_ValueError, "parameter '%U' has the unknown type '%s'", name, type);
    return false;
  }
  return true;
}

static bool parseNames(PyObject *names, std::vector<Ref> &result) {
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(names); ++i) {
    PyObject *name = Py_NewRef(PyTuple_GET_ITEM(names, i));
    if (!PyUnicode_Check(name)) {
      Py_DECREF(name);
      PyErr_SetString(PyExc_TypeError, "names of options are strings");
      return false;
    }
    PyUnicode_InternInPlace(&name);
    result.emplace_back(name);
  }
  return true;
}

static PyObject *newLauncher(PyTypeObject *type, PyObject *args, PyObject *keywords) {
  static const char *names[] = {"name", "parameters", "options", "resolve", nullptr};
  PyObject *name, *parameters, *options, *resolve;
  if (!PyArg_ParseTupleAndKeywords(args, keywords, "UO!O!O", const_cast<char **>(names), &name,
                                   &PyTuple_Type, &parameters, &PyTuple_Type, &options, &resolve))
    return nullptr;
  Ref self(type->tp_alloc(type, 0));
  if (!self)
    return nullptr;
  auto *launcher = new Launcher();
  reinterpret_cast<LauncherObject *>(self.get())->launcher = launcher;
  launcher->name = Ref::borrow(name);
  launcher->resolve = Ref::borrow(resolve);
  launcher->parameters.resize(static_cast<size_t>(PyTuple_GET_SIZE(parameters)));
  for (size_t i = 0; i < launcher->parameters.size(); ++i)
    if (!parseParameter(PyTuple_GET_ITEM(parameters, static_cast<Py_ssize_t>(i)),
                        launcher->parameters[i]))
      return nullptr;
  if (!parseNames(options, launcher->options))
    return nullptr;
  return self.release();
}

static void freeLauncher(PyObject *self) {
  PyTypeObject *type = Py_TYPE(self);
  PyObject_GC_UnTrack(self);
  delete reinterpret_cast<LauncherObject *>(self)->launcher;
  type->tp_free(self);
  Py_DECREF(type);
}

static int traverseLauncher(PyObject *self, visitproc visit, void *arg) {
  Py_VISIT(Py_TYPE(self));
  Launcher *launcher = reinterpret_cast<LauncherObject *>(self)->launcher;
  return launcher ? launcher->traverse(visit, arg) : 0;
}

/// Cutting the way back to Python is enough to break a cycle through a launcher.
static int clearLauncher(PyObject *self) {
  get(self).resolve = Ref::borrow(Py_None);
  return 0;
}

static PyObject *compileOnly(PyObject *self, PyObject *const *args, Py_ssize_t count,
                             PyObject *names) {
  return get(self).call(nullptr, args, static_cast<size_t>(count), names);
}

static PyObject *watchGlobals(PyObject *self, PyObject *list) {
  std::vector<WatchedGlobal> globals;
  Ref items(PySequence_List(list));
  if (!items)
    return nullptr;
  for (Py_ssize_t i = 0; i < PyList_GET_SIZE(items.get()); ++i) {
    PyObject *dict, *name, *value;
    if (!PyArg_ParseTuple(PyList_GET_ITEM(items.get(), i), "O!UO", &PyDict_Type, &dict, &name,
                          &value))
      return nullptr;
    globals.push_back({Ref::borrow(dict), Ref::borrow(name), Ref::borrow(value)});
  }
  get(self).globals = std::make_shared<std::vector<WatchedGlobal>>(std::move(globals));
  Py_RETURN_NONE;
}

static Py_ssize_t countEntries(PyObject *self) { return static_cast<Py_ssize_t>(get(self).size()); }

static PyMethodDef launcherMethods[] = {
    {"compile", reinterpret_cast<PyCFunction>(reinterpret_cast<void *>(compileOnly)),
     METH_FASTCALL | METH_KEYWORDS,
     "Compile for these arguments without a launch; gives the compiled kernel."},
    {"watch", watchGlobals, METH_O,
     "watch([(globals, name, value), ...]): refuse launches once one of these changes."},
    {}};
static PyType_Slot launcherSlots[] = {
    {Py_tp_doc,
     const_cast<char *>("Launcher(name, parameters, options, resolve)\n\n"
                        "Specializes, caches and launches one function: launcher[grid](*args).")},
    {Py_tp_new, reinterpret_cast<void *>(newLauncher)},
    {Py_tp_dealloc, reinterpret_cast<void *>(freeLauncher)},
    {Py_tp_traverse, reinterpret_cast<void *>(traverseLauncher)},
    {Py_tp_clear, reinterpret_cast<void *>(clearLauncher)},
    {Py_tp_methods, launcherMethods},
    {Py_mp_subscript, reinterpret_cast<void *>(bindGrid)},
    {Py_mp_length, reinterpret_cast<void *>(countEntries)},
    {0, nullptr}};
static PyType_Spec launcherSpec = {"tilewright._launcher.Launcher", sizeof(LauncherObject), 0,
                                   Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC, launcherSlots};

bool addLauncherTypes(PyObject *module) {
  executableType = reinterpret_cast<PyTypeObject *>(PyType_FromSpec(&executableSpec));
  boundType = reinterpret_cast<PyTypeObject *>(PyType_FromSpec(&boundSpec));
  PyObject *launcherType = PyType_FromSpec(&launcherSpec);
  return executableType && boundType && launcherType &&
         PyModule_AddObjectRef(module, "Executable",
                               reinterpret_cast<PyObject *>(executableType)) == 0 &&
         PyModule_AddObjectRef(module, "Launcher", launcherType) == 0;
}

} // namespace tile::runtime
