//===- NvidiaKernel.cpp - A kernel loaded by NVIDIA's driver --------------===//
#include "runtime/nvidia/NvidiaKernel.h"

#include "runtime/launcher/InlineVector.h"
#include "runtime/nvidia/Driver.h"

#include <algorithm>

namespace tile::runtime::nvidia {

/// The largest grid: x, y, z.
static constexpr int64_t gridLimits[3] = {2147483647, 65535, 65535};

namespace {
/// Makes a context current while it lives; free when it is already.
class CurrentContext {
public:
  bool enter(const std::string &kernel, void *context) {
    Driver &driver = Driver::get();
    void *current = nullptr;
    Result result = driver.getCurrentContext(&current);
    if (!result && current != context) {
      result = driver.pushContext(context);
      isPushed = !result;
    }
    if (result)
      driver.raise(kernel, "cuCtxPushCurrent", result);
    return !result;
  }
  ~CurrentContext() {
    void *context;
    if (isPushed)
      Driver::get().popContext(&context);
  }

private:
  bool isPushed = false;
};
} // namespace

bool NvidiaKernel::checkGrid(const int64_t (&grid)[3]) const {
  for (int i = 0; i < 3; ++i) {
    int64_t limit = i == 0 ? gridLimits[0] / shape.clusterSize : gridLimits[i];
    if (grid[i] <= limit)
      continue;
    PyErr_Format(PyExc_ValueError,
                 "kernel '%s': side %d of the grid is %lld, but a GPU takes at most %lld there",
                 name.c_str(), i, static_cast<long long>(grid[i]), static_cast<long long>(limit));
    return false;
  }
  return true;
}

/// The blocks that run the programs of a grid in turns, and its sides as they get them.
bool NvidiaKernel::shareGrid(const int64_t (&grid)[3], uint32_t (&sides)[3],
                             uint32_t &blocks) const {
  int64_t limit = gridLimits[0] - shape.mostBlocks, count = 1;
  for (int i = 0; i < 3; ++i) {
    sides[i] = static_cast<uint32_t>(grid[i]);
    count *= grid[i];
    if (count > limit) {
      PyErr_Format(PyExc_ValueError, "kernel '%s': the grid has more than %lld programs",
                   name.c_str(), static_cast<long long>(limit));
      return false;
    }
  }
  blocks = static_cast<uint32_t>(std::min<int64_t>(count, shape.mostBlocks));
  return true;
}

/// What a launch asks for beyond grid and block; gives the number of entries.
uint32_t NvidiaKernel::listAttributes(LaunchAttribute (&attributes)[3]) const {
  constexpr int32_t cooperative = 2;      // CU_LAUNCH_ATTRIBUTE_COOPERATIVE
  constexpr int32_t clusterDimension = 4; // CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION
  constexpr int32_t serialization = 6;    // CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION
  uint32_t count = 0;
  if (shape.clusterSize > 1)
    attributes[count++] = {clusterDimension, {}, {shape.clusterSize, 1, 1}};
  if (shape.isCooperative)
    attributes[count++] = {cooperative, {}, {1}};
  if (shape.mayOverlap)
    attributes[count++] = {serialization, {}, {1}};
  return count;
}

bool NvidiaKernel::launch(const LaunchRequest &request) {
  Driver &driver = Driver::get();
  CurrentContext current;
  if (!checkGrid(request.grid) || !current.enter(name, context))
    return false;
  InlineVector<void *, 64> parameters;
  for (size_t i = 0; i < request.slotCount; ++i)
    parameters.push(&request.slots[i]);
  uint32_t gridX = static_cast<uint32_t>(request.grid[0]) * shape.clusterSize;
  uint32_t gridY = static_cast<uint32_t>(request.grid[1]);
  uint32_t gridZ = static_cast<uint32_t>(request.grid[2]);
  uint32_t sides[3];
  if (shape.mostBlocks) {
    if (!shareGrid(request.grid, sides, gridX))
      return false;
    gridY = gridZ = 1;
    for (uint32_t &side : sides)
      parameters.push(&side);
  }
  for (TensorMap &map : maps) {
    void *encoded = map.get(name, request);
    if (!encoded)
      return false;
    parameters.push(encoded);
  }

  void *stream = reinterpret_cast<void *>(request.stream);
  if (shape.isPlain()) {
    Result result = driver.launchKernel(function, gridX, gridY, gridZ, shape.threads, 1, 1,
                                        shape.sharedBytes, stream, parameters.data(), nullptr);
    if (result)
      driver.raise(name, "cuLaunchKernel", result);
    return !result;
  }
  LaunchAttribute attributes[3];
  uint32_t count = listAttributes(attributes);
  LaunchConfig config{gridX,  gridY,      gridZ, shape.threads, 1, 1, shape.sharedBytes,
                      stream, attributes, count};
  Result result = driver.launchKernelEx(&config, function, parameters.data(), nullptr);
  if (result)
    driver.raise(name, "cuLaunchKernelEx", result);
  return !result;
}

PyObject *wrapNvidiaKernel(const char *name, uint64_t function, uint64_t context, LaunchShape shape,
                           PyObject *descriptors, PyObject *owner) {
  Driver &driver = Driver::get();
  std::vector<TensorMap> maps;
  if (!driver.open() || (descriptors && !readTensorMaps(name, descriptors, maps)))
    return nullptr;
  if (!shape.isPlain() && !driver.launchKernelEx) {
    PyErr_Format(PyExc_RuntimeError,
                 "kernel '%s': num_ctas = %u, launch_cooperative_grid and launch_pdl need a driver "
                 "of CUDA 11.8 or newer",
                 name, shape.clusterSize);
    return nullptr;
  }
  if (!maps.empty() && !driver.encodeTensorMap) {
    PyErr_Format(PyExc_RuntimeError,
                 "kernel '%s': its tensor descriptors need a driver of CUDA 12.0 or newer", name);
    return nullptr;
  }
  return wrapExecutable(new NvidiaKernel(name, reinterpret_cast<void *>(function),
                                         reinterpret_cast<void *>(context), shape, std::move(maps),
                                         Ref::borrow(owner)));
}

} // namespace tile::runtime::nvidia
