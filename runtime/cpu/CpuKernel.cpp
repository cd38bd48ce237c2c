//===- CpuKernel.cpp - A kernel compiled for the CPU ----------------------===//
#include "runtime/cpu/CpuKernel.h"

#include "runtime/cpu/KernelServices.h"
#include "runtime/cpu/LaunchReport.h"
#include "runtime/cpu/ThreadPool.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <limits>
#include <pthread.h>

namespace tile::runtime::cpu {

using Clock = std::chrono::steady_clock;

//===----------------------------------------------------------------------===//
// The arena
//===----------------------------------------------------------------------===//

namespace {
/// A thread's memory for the buffers of a program; grows, never shrinks.
class Arena {
public:
  ~Arena() { std::free(memory); }

  /// At least `bytes`, aligned to a cache line; null without memory.
  void *reserve(size_t bytes) {
    constexpr size_t alignment = 64;
    if (bytes <= capacity)
      return memory;
    size_t rounded = (bytes + alignment - 1) / alignment * alignment;
    std::free(memory);
    memory = std::aligned_alloc(alignment, rounded);
    capacity = memory ? rounded : 0;
    return memory;
  }

private:
  void *memory = nullptr;
  size_t capacity = 0;
};
} // namespace

static thread_local Arena arena;

//===----------------------------------------------------------------------===//
// Running programs
//===----------------------------------------------------------------------===//

/// One launch, shared by the threads that run it.
struct CpuKernel::Grid {
  CpuKernel &kernel;
  const LaunchRequest &request;
  LaunchReport report{};
  /// The launching thread times its first chunk; the others know no cost of waking up.
  const pthread_t owner = pthread_self();
  double nanosecondsPerProgram = -1;
};

void CpuKernel::runPrograms(void *context, int64_t begin, int64_t end) {
  Grid &grid = *static_cast<Grid *>(context);
  const int64_t *extents = grid.request.grid;
  void *scratch = arena.reserve(grid.kernel.scratchBytes);
  if (!scratch && grid.kernel.scratchBytes)
    return grid.report.setOutOfMemory();
  int32_t position[6] = {static_cast<int32_t>(begin % extents[0]),
                         static_cast<int32_t>(begin / extents[0] % extents[1]),
                         static_cast<int32_t>(begin / extents[0] / extents[1]),
                         static_cast<int32_t>(extents[0]),
                         static_cast<int32_t>(extents[1]),
                         static_cast<int32_t>(extents[2])};
  LaunchReport::Scope scope(grid.report);
  bool isTimed = pthread_equal(grid.owner, pthread_self()) && grid.nanosecondsPerProgram < 0;
  Clock::time_point start = isTimed ? Clock::now() : Clock::time_point();
  for (int64_t i = begin; i < end && !grid.report.hasFailed(); ++i) {
    grid.kernel.function(grid.request.slots, scratch, position);
    if (++position[0] < position[3])
      continue;
    position[0] = 0;
    if (++position[1] < position[4])
      continue;
    position[1] = 0;
    ++position[2];
  }
  if (isTimed) {
    std::chrono::duration<double, std::nano> elapsed = Clock::now() - start;
    grid.nanosecondsPerProgram = elapsed.count() / static_cast<double>(end - begin);
  }
}

//===----------------------------------------------------------------------===//
// Launch
//===----------------------------------------------------------------------===//

/// Below this a grid is done before another thread has noticed it.
static constexpr double inlineNanoseconds = 4000;
/// Above this other Python threads may run meanwhile. Giving the lock up for less
/// costs more than it gives: a busy thread keeps it for its whole switch interval.
static constexpr double longNanoseconds = 200000;

void CpuKernel::updateCost(double nanoseconds) {
  float before = cost.load(std::memory_order_relaxed);
  float now = static_cast<float>(nanoseconds);
  // A thread that was interrupted measures too much, never too little.
  float weight = before < 0 ? 1.0f : now < before ? 0.5f : 0.125f;
  cost.store(before + weight * (now - before), std::memory_order_relaxed);
}

static bool checkExtents(const std::string &name, const int64_t (&grid)[3], int64_t &count) {
  count = 1;
  for (int64_t side : grid) {
    constexpr int64_t limit = std::numeric_limits<int32_t>::max();
    if (side > limit || count > std::numeric_limits<int64_t>::max() / side) {
      PyErr_Format(PyExc_ValueError,
                   "kernel '%s': the grid (%lld, %lld, %lld) is too large: a side has at most "
                   "%lld programs",
                   name.c_str(), static_cast<long long>(grid[0]), static_cast<long long>(grid[1]),
                   static_cast<long long>(grid[2]), static_cast<long long>(limit));
      return false;
    }
    count *= side;
  }
  return true;
}

bool CpuKernel::launch(const LaunchRequest &request) {
  int64_t count;
  if (!checkExtents(name, request.grid, count))
    return false;
  ThreadPool &pool = ThreadPool::get();
  int64_t threads = pool.getThreadCount();
  float perProgram = cost.load(std::memory_order_relaxed);
  bool isKnown = perProgram >= 0;
  double total = static_cast<double>(perProgram) * static_cast<double>(count);
  bool isInline = count == 1 || threads == 1 || (isKnown && total < inlineNanoseconds);
  bool isLong = !isKnown || total > longNanoseconds * static_cast<double>(isInline ? 1 : threads);

  // So many programs that taking them costs little; one where that is not known.
  constexpr double chunkNanoseconds = 2000;
  double programsPerChunk = isKnown ? chunkNanoseconds / std::max(perProgram, 1.0f) : 1;
  int64_t smallest = std::clamp<int64_t>(static_cast<int64_t>(programsPerChunk), 1,
                                         std::max<int64_t>(1, count / threads));
  Grid grid{*this, request};
  PyThreadState *state = isLong ? PyEval_SaveThread() : nullptr;
  if (isInline) {
    runPrograms(&grid, 0, count);
  } else {
    Job job(runPrograms, &grid, count, smallest);
    pool.run(job);
  }
  if (state)
    PyEval_RestoreThread(state);
  if (grid.nanosecondsPerProgram >= 0)
    updateCost(grid.nanosecondsPerProgram);
  return grid.report.finish(name);
}

PyObject *loadCpuKernel(const char *name, const void *data, size_t size, size_t scratchBytes,
                        bool takesExtents) {
  std::string error;
  std::unique_ptr<Library> library;
  Py_BEGIN_ALLOW_THREADS library = Library::load(data, size, error);
  Py_END_ALLOW_THREADS if (!library) {
    PyErr_Format(PyExc_RuntimeError, "kernel '%s': its library cannot be loaded: %s", name,
                 error.c_str());
    return nullptr;
  }
  auto function = reinterpret_cast<KernelFunction>(library->find(name));
  if (!function) {
    PyErr_Format(PyExc_RuntimeError, "kernel '%s': its library has no symbol of that name", name);
    return nullptr;
  }
  connectServices(*library);
  return wrapExecutable(
      new CpuKernel(name, std::move(library), function, scratchBytes, takesExtents));
}

} // namespace tile::runtime::cpu
