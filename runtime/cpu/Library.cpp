//===- Library.cpp - Compiled kernels loaded from memory ------------------===//
#include "runtime/cpu/Library.h"

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/mman.h>
#endif

namespace tile::runtime::cpu {

static bool writeAll(int file, const void *data, size_t size) {
  const char *next = static_cast<const char *>(data);
  while (size) {
    ssize_t written = write(file, next, size);
    if (written < 0 && errno == EINTR)
      continue;
    if (written <= 0)
      return false;
    next += written;
    size -= static_cast<size_t>(written);
  }
  return true;
}

#ifdef __linux__
/// A spelling of the descriptor's path that no earlier library had: the loader
/// takes two libraries of one path for the same, and descriptors are reused.
static std::string makeUniquePath(int file) {
  static std::atomic<uint64_t> counter{0};
  std::string path = "/proc/self/fd/";
  for (uint64_t bits = counter++; bits; bits >>= 1)
    path += bits & 1 ? "./" : "/";
  return path + std::to_string(file);
}

static void *loadFromMemory(const void *data, size_t size) {
  int file = memfd_create("tilewright-kernel", MFD_CLOEXEC);
  if (file < 0)
    return nullptr;
  void *handle = nullptr;
  if (writeAll(file, data, size))
    handle = dlopen(makeUniquePath(file).c_str(), RTLD_NOW | RTLD_LOCAL);
  close(file);
  return handle;
}
#else
static void *loadFromMemory(const void *, size_t) { return nullptr; }
#endif

/// Where memory files or /proc are missing.
static void *loadFromFile(const void *data, size_t size, std::string &error) {
  const char *folder = std::getenv("TMPDIR");
  std::string path = std::string(folder ? folder : "/tmp") + "/tilewright-XXXXXX";
  int file = mkstemp(path.data());
  if (file < 0) {
    error = "cannot create " + path + ": " + std::strerror(errno);
    return nullptr;
  }
  void *handle = nullptr;
  if (!writeAll(file, data, size))
    error = "cannot write " + path + ": " + std::strerror(errno);
  else if (!(handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL)))
    error = dlerror();
  close(file);
  unlink(path.c_str());
  return handle;
}

/// Kernels call the C library's mathematics, which not every Python has loaded.
static void loadMathLibrary() {
#ifdef __linux__
  static void *library = dlopen("libm.so.6", RTLD_NOW | RTLD_GLOBAL);
  (void)library;
#endif
}

std::unique_ptr<Library> Library::load(const void *data, size_t size, std::string &error) {
  loadMathLibrary();
  if (ObjectImage::isObject(data, size)) {
    std::unique_ptr<ObjectImage> object = ObjectImage::load(data, size, error);
    return std::unique_ptr<Library>(object ? new Library(std::move(object)) : nullptr);
  }
  void *handle = loadFromMemory(data, size);
  if (!handle)
    handle = loadFromFile(data, size, error);
  return std::unique_ptr<Library>(handle ? new Library(handle) : nullptr);
}

Library::~Library() {
  if (handle)
    dlclose(handle);
}

void *Library::find(const char *symbol) const {
  return object ? object->find(symbol) : dlsym(handle, symbol);
}

} // namespace tile::runtime::cpu
