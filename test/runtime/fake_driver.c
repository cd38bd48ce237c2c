/* A driver without a GPU: it keeps track of contexts and writes each launch as a line to stdout.
 * WITHOUT_TENSOR_MAPS makes an older one. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef int Result;
enum { SUCCESS = 0, INVALID_VALUE = 1, INVALID_CONTEXT = 201, INVALID_IMAGE = 200, NOT_FOUND = 500 };

static uintptr_t stack[16] = {0};
static int depth = 0;
static int shared_limit = 0;
static int first_map = 2; /* of a kernel whose image begins with "maps <count>", or "maps <count> <arguments>" */
static int map_count = 0;
static int quiet = 0;     /* for measurements */
static int takes_turns = 0; /* of a kernel whose image says "turns": the grid is passed before the maps */

Result cuInit(unsigned flags) { return flags ? INVALID_VALUE : SUCCESS; }
Result cuDriverGetVersion(int *version) { return *version = 13000, SUCCESS; }
Result cuGetErrorName(Result error, const char **name) {
  *name = error == INVALID_VALUE ? "CUDA_ERROR_INVALID_VALUE" : error == INVALID_IMAGE ? "CUDA_ERROR_INVALID_IMAGE" : "CUDA_ERROR";
  return SUCCESS;
}
Result cuGetErrorString(Result error, const char **text) { return *text = "a text of the driver", SUCCESS; }

Result cuDeviceGet(int *device, int index) { return *device = index, index < 2 ? SUCCESS : INVALID_VALUE; }
Result cuDeviceGetName(char *name, int size, int device) { return snprintf(name, size, "Fake %d", device), SUCCESS; }
Result cuDeviceGetAttribute(int *value, int attribute, int device) {
  switch (attribute) {
  case 75: *value = 9; break;      /* compute capability, major */
  case 76: *value = 0; break;      /* minor */
  case 97: *value = 232448; break; /* shared memory of a block that opts in */
  case 1: *value = 1024; break;    /* threads of a block */
  case 16: *value = 3; break;      /* multiprocessors */
  default: *value = 1000;
  }
  return SUCCESS;
}
Result cuCtxGetDevice(int *device) { return *device = stack[depth] & 1, SUCCESS; }
Result cuDevicePrimaryCtxRetain(uintptr_t *context, int device) { return *context = 0x1000 + device, SUCCESS; }
Result cuCtxPushCurrent_v2(uintptr_t context) { return stack[++depth] = context, SUCCESS; }
Result cuCtxPopCurrent_v2(uintptr_t *context) { return *context = stack[depth--], SUCCESS; }
Result cuCtxGetCurrent(uintptr_t *context) { return *context = stack[depth], SUCCESS; }

/* An image is a text: "bad" does not load, and of "spill" the compiler has something to say. */
Result cuModuleLoadDataEx(uintptr_t *module, const char *image, unsigned count, int *options, void **values) {
  if (count && !stack[depth]) return INVALID_CONTEXT;
  if (strncmp(image, "bad", 3) == 0) {
    for (unsigned i = 0; i < count; ++i)
      if (options[i] == 5) strcpy(values[i], "line 3: unknown instruction"); /* CU_JIT_ERROR_LOG_BUFFER */
    return INVALID_IMAGE;
  }
  for (unsigned i = 0; i < count && strncmp(image, "spill", 5) == 0; ++i)
    if (options[i] == 3) /* CU_JIT_INFO_LOG_BUFFER */
      strcpy(values[i], "ptxas info    : Function properties for kernel\n"
                        "    64 bytes stack frame, 40 bytes spill stores, 48 bytes spill loads\n"
                        "ptxas info    : Used 32 registers, 380 bytes cmem[0]\n");
  first_map = 2, map_count = 0;
  sscanf(image, "maps %d %d", &map_count, &first_map);
  quiet = strstr(image, "quiet") != NULL;
  takes_turns = strstr(image, "turns") != NULL;
  printf("load %.5s in %lx\n", image, (long)stack[depth]);
  return *module = 0x2000, SUCCESS;
}
/* What kernels as C functions call. */
Result cuModuleLoadData(uintptr_t *module, const char *image) { return cuModuleLoadDataEx(module, image, 0, 0, 0); }
Result cuModuleUnload(uintptr_t module) { return printf("unload %lx\n", (long)module), SUCCESS; }
Result cuModuleGetFunction(uintptr_t *function, uintptr_t module, const char *name) {
  return *function = 0x3000 + strlen(name), SUCCESS;
}
Result cuFuncGetAttribute(int *value, int attribute, uintptr_t function) {
  *value = attribute == 4 ? 40 : attribute == 3 ? 16 : attribute == 0 ? 512 : 0; /* registers, local bytes, threads */
  return SUCCESS;
}
Result cuFuncSetAttribute(uintptr_t function, int attribute, int value) {
  if (attribute != 8) return INVALID_VALUE;
  printf("shared limit %d\n", value);
  return shared_limit = value, SUCCESS;
}

Result cuOccupancyMaxActiveBlocksPerMultiprocessor(int *count, uintptr_t function, int threads, size_t shared) {
  return *count = threads > 512 || shared > 100000 ? 1 : 2, SUCCESS;
}

static Result launch(uintptr_t function, const unsigned *shape, uintptr_t stream, void **parameters, unsigned cluster) {
  if (shape[0] == 13) return INVALID_VALUE;
  if (quiet) return SUCCESS;
  printf("launch %lx in %lx grid %u %u %u block %u %u %u shared %u cluster %u stream %lx args %llx %x\n", (long)function,
         (long)stack[depth], shape[0], shape[1], shape[2], shape[3], shape[4], shape[5], shape[6], cluster, (long)stream,
         *(unsigned long long *)parameters[0], *(unsigned *)parameters[1]);
  for (int i = first_map; i < first_map + map_count; ++i) {
    if ((uintptr_t)parameters[i] % 64) return INVALID_VALUE;
    printf("parameter %d is map %d\n", i, *(int *)parameters[i]);
  }
  if (takes_turns) {
    const unsigned *sides[] = {parameters[first_map - 3], parameters[first_map - 2], parameters[first_map - 1]};
    printf("of %u %u %u\n", *sides[0], *sides[1], *sides[2]);
  }
  return SUCCESS;
}
Result cuLaunchKernel(uintptr_t function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
                      unsigned shared, uintptr_t stream, void **parameters, void **extra) {
  unsigned shape[] = {gx, gy, gz, bx, by, bz, shared};
  return launch(function, shape, stream, parameters, 1);
}
struct attribute { int id; char pad[4]; union { char pad[64]; unsigned cluster[3]; uint64_t align; } value; };
struct config { unsigned shape[7]; uintptr_t stream; struct attribute *attributes; unsigned count; };
Result cuLaunchKernelEx(const struct config *config, uintptr_t function, void **parameters, void **extra) {
  unsigned cluster = 1;
  for (unsigned i = 0; i < config->count; ++i) {
    const unsigned *value = config->attributes[i].value.cluster;
    switch (config->attributes[i].id) {
    case 2: printf("cooperative %u\n", value[0]); break; /* CU_LAUNCH_ATTRIBUTE_COOPERATIVE */
    case 4:                                              /* CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION */
      if (value[1] != 1 || value[2] != 1) return INVALID_VALUE;
      cluster = value[0];
      break;
    case 6: printf("overlap %u\n", value[0]); break; /* ..._PROGRAMMATIC_STREAM_SERIALIZATION */
    default: return INVALID_VALUE;
    }
  }
  return launch(function, config->shape, config->stream, parameters, cluster);
}

#ifndef WITHOUT_TENSOR_MAPS
static void write_list(const char *name, const uint64_t *values, unsigned count) {
  printf(" %s", name);
  for (unsigned i = 0; i < count; ++i) printf("%c%llu", i ? ',' : ' ', (unsigned long long)values[i]);
}
/* A map holds its number; arrays at 0xbad0 are refused. */
Result cuTensorMapEncodeTiled(int *map, int type, unsigned rank, void *address, const uint64_t *sizes,
                              const uint64_t *strides, const unsigned *box, const unsigned *steps, int interleave,
                              int swizzle, int promotion, int fill) {
  static int number = 0;
  uint64_t wide[5];
  if ((uintptr_t)map % 64 || rank < 1 || rank > 5 || (uintptr_t)address == 0xbad0) return INVALID_VALUE;
  memset(map, 0, 128);
  *map = ++number;
  if (quiet) return SUCCESS;
  printf("map %d type %d base %llx", number, type, (unsigned long long)(uintptr_t)address);
  write_list("sizes", sizes, rank);
  write_list("strides", strides, rank - 1);
  for (unsigned i = 0; i < rank; ++i) wide[i] = box[i];
  write_list("box", wide, rank);
  for (unsigned i = 0; i < rank; ++i) wide[i] = steps[i];
  write_list("steps", wide, rank);
  printf(" modes %d %d %d %d\n", interleave, swizzle, promotion, fill);
  return SUCCESS;
}
#endif

/* Addresses of GPU 1 have the bit 2^40; small ones belong to no GPU. */
Result cuPointerGetAttribute(void *data, int attribute, uint64_t address) {
  if (attribute != 9 || address < 0x100) return INVALID_VALUE;
  return *(int *)data = address >> 40 & 1, SUCCESS;
}

Result cuMemAlloc_v2(uintptr_t *memory, size_t size) { return *memory = 0x9000, SUCCESS; }
Result cuMemFree_v2(uintptr_t memory) { return memory == 0x9000 ? SUCCESS : INVALID_VALUE; }
Result cuMemsetD8Async(uintptr_t memory, unsigned char value, size_t count, uintptr_t stream) { return SUCCESS; }
static float clock_ms = 0;
Result cuEventCreate(float **event, unsigned flags) { return *event = calloc(1, sizeof(float)), SUCCESS; }
Result cuEventRecord(float *event, uintptr_t stream) { return *event = clock_ms += 0.5f, SUCCESS; }
Result cuEventElapsedTime(float *result, float *start, float *end) { return *result = *end - *start, SUCCESS; }
Result cuEventElapsedTime_v2(float *result, float *start, float *end) { return *result = *end - *start, SUCCESS; }
Result cuEventDestroy_v2(float *event) { return free(event), SUCCESS; }
Result cuStreamSynchronize(uintptr_t stream) { return SUCCESS; }

/* How cuda-python finds the others. */
Result cuGetProcAddress_v2(const char *name, void **function, int version, uint64_t flags, int *status) {
  char versioned[128];
  snprintf(versioned, sizeof(versioned), "%s_v2", name);
  static void *self;
  Dl_info info;
  if (!self && dladdr(cuInit, &info)) self = dlopen(info.dli_fname, RTLD_NOW);
  *function = dlsym(self, versioned);
  if (!*function) *function = dlsym(self, name);
  if (status) *status = *function ? 0 : 1;
  return *function ? SUCCESS : NOT_FOUND;
}
Result cuGetProcAddress(const char *name, void **function, int version, uint64_t flags) {
  return cuGetProcAddress_v2(name, function, version, flags, 0);
}
