//===- LaunchReport.h - What kernels say during a launch ---------*- C++ -*-===//
#ifndef TILE_RUNTIME_CPU_LAUNCHREPORT_H
#define TILE_RUNTIME_CPU_LAUNCHREPORT_H

#include <atomic>
#include <cstdint>
#include <mutex>
#include <string>

namespace tile::runtime::cpu {

/// Collects failed assertions and printed text of one launch, from all its threads.
class LaunchReport {
public:
  /// While it lives, what the running thread's kernel says goes to `report`.
  class Scope {
  public:
    Scope(LaunchReport &report, const int32_t *position);
    ~Scope();

  private:
    LaunchReport *outerReport;
    const int32_t *outerPosition;
  };

  void setOutOfMemory();
  void setFailure(const char *message, const char *file, int line);
  void print(const std::string &line);

  /// Whether programs that have not started are to be skipped.
  bool hasFailed() const { return failed.load(std::memory_order_relaxed); }

  /// Write the text and raise the failure. Called with the GIL held; false with a
  /// Python error.
  bool finish(const std::string &kernelName);

private:
  std::atomic<bool> failed{false}, hasText{false};
  std::mutex mutex; ///< guards what follows
  bool isOutOfMemory = false;
  std::string message, file, text;
  int line = 0;
};

} // namespace tile::runtime::cpu

#endif // TILE_RUNTIME_CPU_LAUNCHREPORT_H
