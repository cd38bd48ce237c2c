//===- Launcher.cpp - From a Python call to a running kernel --------------===//
#include "runtime/launcher/Launcher.h"

#include "runtime/launcher/Stream.h"

namespace tile::runtime {

//===----------------------------------------------------------------------===//
// Binding
//===----------------------------------------------------------------------===//

/// Both are nearly always interned, so that their addresses decide.
static bool isSameName(PyObject *a, PyObject *b) { return a == b || PyUnicode_Compare(a, b) == 0; }

/// "a, b, c"
static Ref joinNames(const std::vector<Ref> &names) {
  Ref list(PyList_New(0));
  for (const Ref &name : names)
    if (PyList_Append(list.get(), name.get()) < 0)
      return Ref();
  Ref comma(PyUnicode_FromString(", "));
  return Ref(PyUnicode_Join(comma.get(), list.get()));
}

bool Launcher::bindKeyword(PyObject *keyword, PyObject *value, BoundCall &call) const {
  for (size_t i = 0; i < parameters.size(); ++i) {
    if (parameters[i].name.get() != keyword && !isSameName(parameters[i].name.get(), keyword))
      continue;
    if (call.values[i]) {
      PyErr_Format(PyExc_TypeError, "kernel '%U': argument '%U' is given twice", name.get(),
                   keyword);
      return false;
    }
    call.values[i] = value;
    return true;
  }
  for (const Ref &option : options)
    if (isSameName(option.get(), keyword)) {
      call.optionNames.push(option.get());
      call.optionValues.push(value);
      return true;
    }
  Ref known = joinNames(options);
  if (known)
    PyErr_Format(PyExc_KeyError, "kernel '%U' has no parameter or option '%U'; the options are %U",
                 name.get(), keyword, known.get());
  return false;
}

bool Launcher::fillDefaults(BoundCall &call) const {
  for (size_t i = 0; i < parameters.size(); ++i) {
    if (call.values[i])
      continue;
    call.values[i] = parameters[i].defaultValue.get();
    if (call.values[i])
      continue;
    PyErr_Format(PyExc_TypeError, "kernel '%U': argument '%U'%s is missing", name.get(),
                 parameters[i].name.get(), parameters[i].isConstexpr ? " (a constexpr)" : "");
    return false;
  }
  return true;
}

bool Launcher::bind(PyObject *const *args, size_t count, PyObject *keywordNames,
                    BoundCall &call) const {
  if (count > parameters.size()) {
    PyErr_Format(PyExc_TypeError, "kernel '%U' takes %zu arguments, but %zu are given", name.get(),
                 parameters.size(), count);
    return false;
  }
  call.values.append(args, count);
  call.values.resize(parameters.size(), nullptr);
  Py_ssize_t keywords = keywordNames ? PyTuple_GET_SIZE(keywordNames) : 0;
  for (Py_ssize_t i = 0; i < keywords; ++i)
    if (!bindKeyword(PyTuple_GET_ITEM(keywordNames, i), args[count + static_cast<size_t>(i)], call))
      return false;
  return fillDefaults(call);
}

//===----------------------------------------------------------------------===//
// Key and kernel
//===----------------------------------------------------------------------===//

bool Launcher::read(const BoundCall &call, ArgumentReader &reader) const {
  for (size_t i = 0; i < parameters.size(); ++i)
    if (!reader.read(parameters[i], call.values[i]))
      return false;
  for (size_t i = 0; i < call.optionNames.size(); ++i) {
    reader.key.addWord(reinterpret_cast<uint64_t>(call.optionNames[i]));
    PyObject *value = call.optionValues[i];
    // A dictionary counts by its items.
    Ref items(PyDict_CheckExact(value) ? PyDict_Items(value) : Py_NewRef(value));
    if (!items || !reader.key.addConstant(items.get()))
      return false;
  }
  reader.key.addWord(static_cast<uint64_t>(reader.device.type) << 32 |
                     static_cast<uint32_t>(reader.device.index));
  return true;
}

/// A kernel is not compiled again when a global changes: it would run with the old value.
bool Launcher::checkGlobals() const {
  std::shared_ptr<const std::vector<WatchedGlobal>> watched = globals;
  if (!watched)
    return true;
  for (const WatchedGlobal &global : *watched) {
    // Held, as the comparison may run Python code.
    Ref now = Ref::borrow(PyDict_GetItemWithError(global.dict.get(), global.name.get()));
    if (now.get() == global.value.get())
      continue;
    int equal = now ? PyObject_RichCompareBool(now.get(), global.value.get(), Py_EQ) : 0;
    if (equal > 0)
      continue;
    if (!PyErr_Occurred())
      PyErr_Format(
          PyExc_RuntimeError,
          "kernel '%U' was compiled with the global variable %U = %R, which is now %R; pass "
          "it as a tl.constexpr argument",
          name.get(), global.name.get(), global.value.get(), now ? now.get() : Py_None);
    return false;
  }
  return true;
}

Launcher::Entry *Launcher::find(const Key &key, size_t hash) const {
  auto chain = chains.find(hash);
  for (Entry *entry = chain == chains.end() ? nullptr : chain->second; entry; entry = entry->next)
    if (entry->key == key)
      return entry;
  return nullptr;
}

static Ref toDict(const BoundCall &call) {
  Ref dict(PyDict_New());
  for (size_t i = 0; dict && i < call.optionNames.size(); ++i)
    if (PyDict_SetItem(dict.get(), call.optionNames[i], call.optionValues[i]) < 0)
      return Ref();
  return dict;
}

Launcher::Entry *Launcher::compile(const BoundCall &call, const Key &key, size_t hash) {
  ArgumentReader reader(name.get(), /*describe=*/true);
  if (!read(call, reader))
    return nullptr;
  Ref list(PyList_New(0)), readOnly(PyList_New(0)), options = toDict(call);
  if (!list || !readOnly || !options)
    return nullptr;
  for (const Ref &description : reader.descriptions)
    if (PyList_Append(list.get(), description.get()) < 0)
      return nullptr;
  for (uint32_t argument : reader.readOnlyArguments) {
    Ref number(PyLong_FromLong(argument));
    if (!number || PyList_Append(readOnly.get(), number.get()) < 0)
      return nullptr;
  }
  Ref pair(PyObject_CallFunction(resolve.get(), "OOiiO", list.get(), options.get(),
                                 reader.device.type, reader.device.index, readOnly.get()));
  if (!pair)
    return nullptr;
  PyObject *executable, *kernel;
  if (!PyArg_ParseTuple(pair.get(), "O!O", executableType, &executable, &kernel))
    return nullptr;
  Entry &entry = entries.emplace_back(key);
  entry.executable = Ref::borrow(executable);
  entry.kernel = Ref::borrow(kernel);
  Entry *&head = chains[hash];
  entry.next = head;
  head = &entry;
  return &entry;
}

//===----------------------------------------------------------------------===//
// Grid
//===----------------------------------------------------------------------===//

/// What a callable grid is given: all arguments by name, and the options.
Ref Launcher::makeMeta(const BoundCall &call) const {
  Ref meta = toDict(call);
  for (size_t i = 0; meta && i < parameters.size(); ++i)
    if (PyDict_SetItem(meta.get(), parameters[i].name.get(), call.values[i]) < 0)
      return Ref();
  return meta;
}

static bool readExtent(PyObject *value, int64_t &result) {
  Ref number(PyNumber_Index(value));
  if (!number)
    return false;
  result = PyLong_AsLongLong(number.get());
  return !(result == -1 && PyErr_Occurred());
}

static bool readExtents(PyObject *grid, int64_t (&result)[3]) {
  result[0] = result[1] = result[2] = 1;
  if (!PyTuple_Check(grid) && !PyList_Check(grid))
    return readExtent(grid, result[0]);
  Py_ssize_t size = PySequence_Fast_GET_SIZE(grid);
  if (size < 1 || size > 3) {
    PyErr_Format(PyExc_ValueError, "has %zd sides; expected 1 to 3", size);
    return false;
  }
  for (Py_ssize_t i = 0; i < size; ++i)
    if (!readExtent(PySequence_Fast_GET_ITEM(grid, i), result[i]))
      return false;
  return true;
}

bool Launcher::evaluateGrid(PyObject *grid, const BoundCall &call, int64_t (&result)[3]) const {
  Ref computed;
  if (!PyTuple_Check(grid) && !PyLong_Check(grid) && PyCallable_Check(grid)) {
    Ref meta = makeMeta(call);
    computed = Ref(meta ? PyObject_CallOneArg(grid, meta.get()) : nullptr);
    if (!computed)
      return false;
    grid = computed.get();
  }
  if (!readExtents(grid, result)) {
    // Only our own errors; what a user's index method raises passes.
    if (PyErr_ExceptionMatches(PyExc_TypeError)) {
      PyErr_Format(PyExc_TypeError,
                   "kernel '%U': the grid is %R; expected an int, a tuple of 1 to 3 ints, or a "
                   "function that returns one",
                   name.get(), grid);
    } else if (PyErr_ExceptionMatches(PyExc_ValueError)) {
      PyErr_Format(PyExc_ValueError, "kernel '%U': the grid is %R; expected 1 to 3 sides",
                   name.get(), grid);
    }
    return false;
  }
  for (int64_t side : result)
    if (side < 0) {
      PyErr_Format(PyExc_ValueError, "kernel '%U': the grid %R has a negative side", name.get(),
                   grid);
      return false;
    }
  return true;
}

int Launcher::traverse(visitproc visit, void *arg) const {
  Py_VISIT(resolve.get());
  for (const Parameter &parameter : parameters)
    Py_VISIT(parameter.defaultValue.get());
  if (globals)
    for (const WatchedGlobal &global : *globals) {
      Py_VISIT(global.dict.get());
      Py_VISIT(global.value.get());
    }
  for (const Entry &entry : entries) {
    Py_VISIT(entry.executable.get());
    Py_VISIT(entry.kernel.get());
    for (const Ref &object : entry.key.objects)
      Py_VISIT(object.get());
  }
  return 0;
}

//===----------------------------------------------------------------------===//
// The launch
//===----------------------------------------------------------------------===//

PyObject *Launcher::call(PyObject *grid, PyObject *const *args, size_t count,
                         PyObject *keywordNames) {
  BoundCall call;
  ArgumentReader reader(name.get());
  if (!checkGlobals() || !bind(args, count, keywordNames, call) || !read(call, reader))
    return nullptr;
  size_t hash = reader.key.hash();
  Entry *entry = find(reader.key, hash);
  if (!entry && !(entry = compile(call, reader.key, hash)))
    return nullptr;
  if (!grid)
    return Py_NewRef(entry->kernel.get());

  auto *object = reinterpret_cast<ExecutableObject *>(entry->executable.get());
  if (object->executable->takesExtents() && !reader.addExtents())
    return nullptr;
  LaunchRequest request{reader.slots.data(), reader.slots.size(), {}, 0};
  if (!evaluateGrid(grid, call, request.grid))
    return nullptr;
  if (request.grid[0] == 0 || request.grid[1] == 0 || request.grid[2] == 0)
    return Py_NewRef(entry->kernel.get());
  if (object->executable->usesStream() && !findStream(reader, request.stream))
    return nullptr;
  if (!object->executable->launch(request))
    return nullptr;
  return Py_NewRef(entry->kernel.get());
}

} // namespace tile::runtime
