//===- ThreadPool.h - Threads that run the programs of grids -----*- C++ -*-===//
#ifndef TILE_RUNTIME_CPU_THREADPOOL_H
#define TILE_RUNTIME_CPU_THREADPOOL_H

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <thread>
#include <vector>

namespace tile::runtime::cpu {

/// Items [0, count) to be run in chunks, by whoever is free: a fraction of what is
/// left each time, so that all threads end together, but at least `smallest`. It may
/// be reused, but not by two threads at once.
class Job {
public:
  /// Run items [begin, end); called from several threads at once.
  using Body = void (*)(void *context, int64_t begin, int64_t end);

  Job(Body body, void *context, int64_t count, int64_t smallest)
      : body(body), context(context), count(count), smallest(smallest) {}

private:
  friend class ThreadPool;
  bool hasWork() const { return next.load(std::memory_order_relaxed) < count; }
  void work(int threads);

  const Body body;
  void *const context;
  const int64_t count, smallest;
  alignas(64) std::atomic<int64_t> next{0};
  /// Workers that are inside `work`. The others are never waited for.
  alignas(64) std::atomic<int> guests{0};
  bool ownerSleeps = false; ///< guarded by the pool's mutex
  Job *following = nullptr; ///< in the pool's list
};

/// Persistent threads. `run` may be called from several threads at once; the caller
/// works as well, so that a job ends even if no worker ever comes.
class ThreadPool {
public:
  /// The process's pool. A child of fork() gets a fresh one: threads do not survive.
  static ThreadPool &get();

  /// Returns when all items are done.
  void run(Job &job);

  /// Threads that work on a job, the caller included.
  int getThreadCount() const { return limit.load(std::memory_order_relaxed); }
  /// At least 1; takes effect with the next job.
  static void setThreadCount(int count);

private:
  ThreadPool() = default;
  void publish(Job &job);
  void withdraw(Job &job);
  void waitForGuests(Job &job);
  void startWorkers();
  void placeWorkers();
  void workerMain(int index);
  Job *acquire(int index);
  void release(Job &job);
  Job *findJob() const;

  std::mutex mutex;
  std::condition_variable wake, done;
  Job *jobs = nullptr;
  int sleepers = 0, started = 0;
  std::vector<std::thread::native_handle_type> handles;
  int avoidedCPU = -1; ///< on which no worker is to run
  /// Counts jobs, so that a worker can look for one without the lock.
  alignas(64) std::atomic<uint64_t> published{0};
  alignas(64) std::atomic<int> limit{1};
};

} // namespace tile::runtime::cpu

#endif // TILE_RUNTIME_CPU_THREADPOOL_H
