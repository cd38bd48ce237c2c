//===- ThreadPool.cpp - Threads that run the programs of grids ------------===//
#include "runtime/cpu/ThreadPool.h"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <pthread.h>
#include <sched.h>
#include <system_error>
#include <unistd.h>

namespace tile::runtime::cpu {

using Clock = std::chrono::steady_clock;

/// How long a thread looks for work, or for the end of a job, before it sleeps. The
/// kernel's wake-up costs about 6 us; a Python loop launches every few.
static constexpr std::chrono::microseconds spinTime(20);

static void pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

/// Poll for a while. Reads the clock now and then only: it costs as much as a poll.
template <typename Condition> static bool spinUntil(Condition isTrue) {
  constexpr int pollsPerClock = 32;
  Clock::time_point deadline = Clock::now() + spinTime;
  do {
    for (int i = 0; i < pollsPerClock; ++i) {
      if (isTrue())
        return true;
      pause();
    }
  } while (Clock::now() < deadline);
  return false;
}

//===----------------------------------------------------------------------===//
// The process's pool
//===----------------------------------------------------------------------===//

static std::atomic<ThreadPool *> instance{nullptr};
static std::atomic<int> requestedThreads{1};

ThreadPool &ThreadPool::get() {
  if (ThreadPool *pool = instance.load(std::memory_order_acquire))
    return *pool;
  static std::once_flag forkHandler;
  std::call_once(forkHandler, [] {
    // The child's copy of the pool has no threads, and its mutex may be held by one
    // of them: it is left alone.
    pthread_atfork(nullptr, nullptr, [] { instance.store(nullptr); });
  });
  // Never destroyed: its threads run until the process ends.
  auto *fresh = new ThreadPool();
  fresh->limit = requestedThreads.load();
  ThreadPool *expected = nullptr;
  if (!instance.compare_exchange_strong(expected, fresh)) {
    delete fresh;
    return *expected;
  }
  return *fresh;
}

void ThreadPool::setThreadCount(int count) {
  requestedThreads = std::max(count, 1);
  get().limit = std::max(count, 1);
}

//===----------------------------------------------------------------------===//
// Jobs
//===----------------------------------------------------------------------===//

void Job::work(int threads) {
  constexpr int chunksPerThread = 4; // of what is left
  int64_t begin = next.load(std::memory_order_relaxed);
  while (begin < count) {
    int64_t left = count - begin;
    int64_t size = std::min(left, std::max(smallest, left / (threads * chunksPerThread)));
    if (!next.compare_exchange_weak(begin, begin + size, std::memory_order_relaxed))
      continue;
    body(context, begin, begin + size);
    begin = next.load(std::memory_order_relaxed);
  }
}

void ThreadPool::run(Job &job) {
  int threads = getThreadCount();
  bool isShared = threads > 1 && job.count > job.smallest;
  if (!isShared)
    return job.work(1);
  publish(job);
  job.work(threads);
  withdraw(job);
  waitForGuests(job);
}

void ThreadPool::publish(Job &job) {
  int toWake;
  {
    std::lock_guard<std::mutex> lock(mutex);
    startWorkers();
    job.following = jobs;
    jobs = &job;
    published.fetch_add(1, std::memory_order_release);
    int64_t chunks = (job.count + job.smallest - 1) / job.smallest;
    toWake = static_cast<int>(std::min<int64_t>(sleepers, chunks - 1));
    // Workers above the limit sleep too, and a single call may wake the wrong one.
    if (started >= getThreadCount() && toWake)
      toWake = sleepers;
    if (toWake)
      placeWorkers();
  }
  for (int i = 0; i < toWake; ++i)
    wake.notify_one();
}

/// After this no worker can enter the job.
void ThreadPool::withdraw(Job &job) {
  std::lock_guard<std::mutex> lock(mutex);
  Job **link = &jobs;
  while (*link != &job)
    link = &(*link)->following;
  *link = job.following;
}

void ThreadPool::waitForGuests(Job &job) {
  auto isEmpty = [&] { return job.guests.load(std::memory_order_acquire) == 0; };
  if (spinUntil(isEmpty))
    return;
  std::unique_lock<std::mutex> lock(mutex);
  job.ownerSleeps = true;
  done.wait(lock, isEmpty);
}

//===----------------------------------------------------------------------===//
// Workers
//===----------------------------------------------------------------------===//

/// Called with the lock held.
void ThreadPool::startWorkers() {
  int wanted = getThreadCount() - 1;
  if (started >= wanted)
    return;
  // Signals are the main thread's: workers inherit a mask that blocks them.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  try {
    while (started < wanted) {
      std::thread worker(&ThreadPool::workerMain, this, started + 1);
      handles.push_back(worker.native_handle());
      worker.detach();
      ++started;
      avoidedCPU = -1;
    }
  } catch (const std::system_error &) {
    // No more threads here: those that run, or the caller alone, do the work.
    limit = started + 1;
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

#ifdef __linux__
/// CPUs of the process, as they were at the first call.
static const cpu_set_t &getProcessCPUs() {
  static const cpu_set_t cpus = [] {
    cpu_set_t set;
    if (sched_getaffinity(getpid(), sizeof(set), &set) != 0)
      CPU_ZERO(&set);
    return set;
  }();
  return cpus;
}
#endif

/// Keep workers off the CPU of the caller, who is about to be busy. Where threads of
/// another library spin on all other CPUs, the kernel wakes workers on the caller's
/// own, and there they wait for its time slice to end. Where there are many CPUs,
/// one is free. Called with the lock held.
void ThreadPool::placeWorkers() {
#ifdef __linux__
  constexpr int manyCPUs = 8;
  cpu_set_t others = getProcessCPUs();
  int own = sched_getcpu(), count = CPU_COUNT(&others);
  if (own < 0 || own == avoidedCPU || count < 2 || count > manyCPUs)
    return;
  CPU_CLR(own, &others);
  for (std::thread::native_handle_type worker : handles)
    pthread_setaffinity_np(worker, sizeof(others), &others);
  avoidedCPU = own;
#endif
}

void ThreadPool::workerMain(int index) {
  for (;;) {
    Job *job = acquire(index);
    job->work(getThreadCount());
    release(*job);
  }
}

/// Called with the lock held.
Job *ThreadPool::findJob() const {
  for (Job *job = jobs; job; job = job->following)
    if (job->hasWork())
      return job;
  return nullptr;
}

Job *ThreadPool::acquire(int index) {
  for (;;) {
    uint64_t seen = published.load(std::memory_order_acquire);
    std::unique_lock<std::mutex> lock(mutex);
    bool mayWork = index < getThreadCount();
    if (Job *job = mayWork ? findJob() : nullptr) {
      job->guests.fetch_add(1, std::memory_order_relaxed);
      return job;
    }
    auto isNew = [&] { return published.load(std::memory_order_acquire) != seen; };
    lock.unlock();
    if (mayWork && spinUntil(isNew))
      continue;
    lock.lock();
    ++sleepers;
    wake.wait(lock, isNew);
    --sleepers;
  }
}

void ThreadPool::release(Job &job) {
  std::lock_guard<std::mutex> lock(mutex);
  bool ownerSleeps = job.ownerSleeps;
  // From here on the job may be gone: its owner watches the count.
  int left = job.guests.fetch_sub(1, std::memory_order_acq_rel) - 1;
  if (left == 0 && ownerSleeps)
    done.notify_all();
}

} // namespace tile::runtime::cpu
