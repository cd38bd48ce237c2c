//===- LaunchReport.h - What kernels say during a launch ---------*- C++ -*-===//
#ifndef TILE_RUNTIME_CPU_LAUNCHREPORT_H
#define TILE_RUNTIME_CPU_LAUNCHREPORT_H

#include <atomic>
#include <mutex>
#include <string>

namespace tile::runtime::cpu {

/// Collects failed assertions and printed text of one launch, from all its threads.
class LaunchReport {
public:
  /// While it lives, what the running thread's kernel says goes to a report.
  class Scope {
  public:
    explicit Scope(LaunchReport &report);
    ~Scope();

  private:
    LaunchReport *outer;
  };
  /// The report of the running thread's launch, or null.
  static LaunchReport *getCurrent();

  void setOutOfMemory();
  /// Keeps the first failure.
  void setFailure(const char *message, const char *place);
  void print(const std::string &lines);

  /// Whether programs that have not started are to be skipped.
  bool hasFailed() const { return failed.load(std::memory_order_relaxed); }

  /// Write the text and raise the failure. Called with the GIL held; false with a
  /// Python error.
  bool finish(const std::string &kernelName);

private:
  std::atomic<bool> failed{false}, hasText{false};
  std::mutex mutex; ///< guards what follows
  bool isOutOfMemory = false;
  std::string message, place, text;
};

} // namespace tile::runtime::cpu

#endif // TILE_RUNTIME_CPU_LAUNCHREPORT_H
