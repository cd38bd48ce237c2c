//===- Launcher.h - From a Python call to a running kernel -------*- C++ -*-===//
#ifndef TILE_RUNTIME_LAUNCHER_LAUNCHER_H
#define TILE_RUNTIME_LAUNCHER_LAUNCHER_H

#include "runtime/launcher/Arguments.h"
#include "runtime/launcher/Executable.h"

#include <deque>
#include <memory>
#include <unordered_map>
#include <vector>

namespace tile::runtime {

/// Arguments of one call in the order of the parameters, and what is left: options.
struct BoundCall {
  InlineVector<PyObject *, 48> values; ///< borrowed from the call or the defaults
  InlineVector<PyObject *, 16> optionNames, optionValues;
};

/// A global variable whose value was compiled into a kernel.
struct WatchedGlobal {
  Ref dict, name, value;
};

/// The kernels of one function, by specialization.
class Launcher {
public:
  Ref name;    ///< of the function
  Ref resolve; ///< (descriptions, options, device type, index, read-only arguments)
               ///< -> (executable, kernel)
  std::vector<Parameter> parameters;
  std::vector<Ref> options; ///< known names
  /// Replaced as a whole: another thread may be comparing the old ones.
  std::shared_ptr<const std::vector<WatchedGlobal>> globals;

  /// The whole launch; without a grid only compiles. Null with a Python error.
  PyObject *call(PyObject *grid, PyObject *const *args, size_t count, PyObject *keywordNames);

  size_t size() const { return entries.size(); }
  int traverse(visitproc visit, void *context) const;

private:
  /// A kernel that was compiled or loaded for a key.
  struct Entry {
    explicit Entry(const Key &key) : key(key) {}
    StoredKey key;
    Ref executable, kernel;
    Entry *next = nullptr;
  };

  bool bind(PyObject *const *args, size_t count, PyObject *keywordNames, BoundCall &call) const;
  bool bindKeyword(PyObject *name, PyObject *value, BoundCall &call) const;
  bool fillDefaults(BoundCall &call) const;
  bool read(const BoundCall &call, ArgumentReader &reader) const;
  bool checkGlobals() const;
  Entry *find(const Key &key, size_t hash) const;
  Entry *compile(const BoundCall &call, const Key &key, size_t hash);
  bool evaluateGrid(PyObject *grid, const BoundCall &call, int64_t (&result)[3]) const;
  Ref makeMeta(const BoundCall &call) const;

  // Entries are only ever added, at the head of a chain: comparing keys may run
  // Python code that launches, and a chain being walked stays whole.
  std::deque<Entry> entries;
  std::unordered_map<size_t, Entry *> chains;
};

/// Adds the types `Launcher` and `Executable` to the module.
bool addLauncherTypes(PyObject *module);

} // namespace tile::runtime

#endif // TILE_RUNTIME_LAUNCHER_LAUNCHER_H
