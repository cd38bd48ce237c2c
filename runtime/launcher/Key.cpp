//===- Key.cpp - What tells two specializations apart ---------------------===//
#include "runtime/launcher/Key.h"

#include "runtime/launcher/Registry.h"

#include <cstring>
#include <string_view>

namespace tile::runtime {

bool Key::addObject(PyObject *object) {
  Py_hash_t hash = PyObject_Hash(object);
  if (hash == -1)
    return false;
  objectHash = objectHash * 31 + static_cast<size_t>(hash);
  objects.push(object);
  return true;
}

bool Key::addText(PyObject *text) {
  Py_ssize_t length;
  const char *utf8 = PyUnicode_AsUTF8AndSize(text, &length);
  if (!utf8)
    return false;
  addByte('s');
  addWord(static_cast<uint64_t>(length));
  bytes.append(reinterpret_cast<const uint8_t *>(utf8), static_cast<size_t>(length));
  return true;
}

bool Key::addSequence(PyObject *sequence) {
  // A named tuple differs from a plain one: kernels read its fields.
  bool plain = PyTuple_CheckExact(sequence) || PyList_CheckExact(sequence);
  addByte(PyList_Check(sequence) ? '[' : '(');
  if (!plain && !addObject(reinterpret_cast<PyObject *>(Py_TYPE(sequence))))
    return false;
  Py_ssize_t size = PySequence_Fast_GET_SIZE(sequence);
  addByte(plain);
  addWord(static_cast<uint64_t>(size));
  if (Py_EnterRecursiveCall(" in the key of a kernel's constant"))
    return false;
  bool done = true;
  for (Py_ssize_t i = 0; done && i < size; ++i)
    done = addConstant(PySequence_Fast_GET_ITEM(sequence, i));
  Py_LeaveRecursiveCall();
  return done;
}

bool Key::addConstant(PyObject *value) {
  if (value == Py_None || value == Py_True || value == Py_False) {
    addByte(value == Py_None ? 'N' : value == Py_True ? 'T' : 'F');
    return true;
  }
  if (PyLong_CheckExact(value)) {
    int overflow;
    long long number = PyLong_AsLongLongAndOverflow(value, &overflow);
    if (overflow)
      return addByte('o'), addObject(value);
    addByte('i');
    addWord(static_cast<uint64_t>(number));
    return true;
  }
  if (PyFloat_CheckExact(value)) {
    // By bits: 0.0 and -0.0 are different constants, and a NaN equals itself.
    double number = PyFloat_AS_DOUBLE(value);
    uint64_t bits;
    std::memcpy(&bits, &number, sizeof(bits));
    addByte('f');
    addWord(bits);
    return true;
  }
  if (PyUnicode_CheckExact(value))
    return addText(value);
  if (PyTuple_Check(value) || PyList_Check(value))
    return addSequence(value);
  if (Registry::get().isConstexpr(Py_TYPE(value))) {
    Ref inner(PyObject_GetAttr(value, Registry::get().names.value));
    if (!inner)
      return false;
    unwrapped.push_back(inner);
    return addConstant(inner.get());
  }
  addByte('o');
  return addObject(value);
}

size_t Key::hash() const {
  std::string_view text(reinterpret_cast<const char *>(bytes.data()), bytes.size());
  return std::hash<std::string_view>()(text) ^ objectHash;
}

StoredKey::StoredKey(const Key &key)
    : bytes(reinterpret_cast<const char *>(key.bytes.data()), key.bytes.size()) {
  for (PyObject *object : key.objects)
    objects.push_back(Ref::borrow(object));
}

bool StoredKey::operator==(const Key &key) const {
  if (bytes.size() != key.bytes.size() || objects.size() != key.objects.size() ||
      std::memcmp(bytes.data(), key.bytes.data(), bytes.size()) != 0)
    return false;
  for (size_t i = 0; i < objects.size(); ++i) {
    PyObject *mine = objects[i].get(), *other = key.objects[i];
    if (mine == other)
      continue;
    if (Py_TYPE(mine) != Py_TYPE(other))
      return false;
    int equal = PyObject_RichCompareBool(mine, other, Py_EQ);
    if (equal < 0)
      PyErr_Clear(); // what cannot be compared is another key: it only compiles once more
    if (equal != 1)
      return false;
  }
  return true;
}

} // namespace tile::runtime
