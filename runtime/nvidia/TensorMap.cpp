//===- TensorMap.cpp - Descriptions of arrays for the GPU's copies --------===//
#include "runtime/nvidia/TensorMap.h"

#include <algorithm>
#include <cstring>
#include <iterator>

namespace tile::runtime::nvidia {

// What the copy unit can describe.
static constexpr uint64_t alignment = 16;
static constexpr uint64_t strideLimit = uint64_t(1) << 40;
static constexpr uint64_t mostElements = uint64_t(1) << 32;
static constexpr int64_t largestBox = 256;

//===----------------------------------------------------------------------===//
// The compiler's recipe
//===----------------------------------------------------------------------===//

namespace {
/// An element's type: the driver's number (CUtensorMapDataType), and bytes.
struct ElementType {
  const char *name;
  int32_t number;
  int64_t bytes;
  bool hasNan; ///< the copy unit knows it as a float
};
} // namespace

static constexpr ElementType elementTypes[] = {
    {"i1", 0, 1, false},  {"i8", 0, 1, false},  {"i16", 1, 2, false},
    {"i32", 3, 4, false}, {"i64", 5, 8, false}, {"f16", 6, 2, true},
    {"f32", 7, 4, true},  {"f64", 8, 8, true},  {"bf16", 9, 2, true},
};
/// Floats of 8 bits are bytes to the copy unit.
static constexpr ElementType byteFloat = {"f8", 0, 1, false};
static constexpr int32_t roundedFloat = 11; // CU_TENSOR_MAP_DATA_TYPE_TFLOAT32

static const ElementType *findElementType(const char *name) {
  for (const ElementType &type : elementTypes)
    if (std::strcmp(type.name, name) == 0)
      return &type;
  return std::strncmp(name, byteFloat.name, std::strlen(byteFloat.name)) == 0 ? &byteFloat
                                                                              : nullptr;
}

/// The integers of a sequence. False, without an error, for everything else.
static bool readIntegers(PyObject *object, std::vector<int64_t> &result) {
  if (!object || !(PyList_Check(object) || PyTuple_Check(object)))
    return false;
  for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(object); ++i) {
    PyObject *item = PySequence_Fast_GET_ITEM(object, i);
    int overflow = 0;
    long long value = PyLong_Check(item) ? PyLong_AsLongLongAndOverflow(item, &overflow) : -1;
    if (!PyLong_Check(item) || overflow)
      return false;
    result.push_back(value);
  }
  return true;
}

/// An integer of a recipe; -1 where it has none.
static int64_t readInteger(PyObject *recipe, const char *name) {
  PyObject *value = PyDict_GetItemString(recipe, name);
  if (!value || !PyLong_Check(value))
    return -1;
  int overflow;
  return PyLong_AsLongLongAndOverflow(value, &overflow);
}

static bool readFlag(PyObject *recipe, const char *name) {
  PyObject *value = PyDict_GetItemString(recipe, name);
  return value && PyObject_IsTrue(value) == 1;
}

/// A recipe that the launcher cannot follow: the kernel was made by another compiler.
bool TensorMap::fail(const std::string &kernel, const std::string &problem) const {
  PyErr_Format(PyExc_ValueError, "kernel '%s': the recipe of tensor map %zu is damaged: %s",
               kernel.c_str(), number, problem.c_str());
  return false;
}

bool TensorMap::readElement(const std::string &kernel, PyObject *recipe) {
  PyObject *element = PyDict_GetItemString(recipe, "element");
  const char *name = element && PyUnicode_Check(element) ? PyUnicode_AsUTF8(element) : "";
  const ElementType *type = name ? findElementType(name) : nullptr;
  if (!type)
    return !PyErr_Occurred() &&
           fail(kernel, "there is no element type '" + std::string(name) + "'");
  bool rounds = readFlag(recipe, "tf32"), padsWithNan = readFlag(recipe, "nan_padding");
  if (rounds && std::strcmp(name, "f32") != 0)
    return fail(kernel, "elements of type " + std::string(name) + " are not rounded to tf32");
  if (padsWithNan && !type->hasNan)
    return fail(kernel, "elements of type " + std::string(name) + " are not padded with NaN");
  dataType = rounds ? roundedFloat : type->number;
  fill = padsWithNan;
  elementBytes = type->bytes;
  return true;
}

/// The box of one copy, and how it lies on chip.
bool TensorMap::readBlock(const std::string &kernel, PyObject *recipe) {
  int64_t dimensions = readInteger(recipe, "rank"), swizzle = readInteger(recipe, "swizzle");
  std::vector<int64_t> block;
  if (dimensions < 1 || dimensions > static_cast<int64_t>(mostDimensions))
    return fail(kernel, "its rank is not 1 to 5");
  rank = static_cast<size_t>(dimensions);
  if (!readIntegers(PyDict_GetItemString(recipe, "block"), block) || block.size() != rank)
    return fail(kernel, "its block does not have as many sizes as the rank");
  for (size_t i = 0; i < rank; ++i) {
    if (block[i] < 1 || block[i] > largestBox)
      return fail(kernel, "side " + std::to_string(i) + " of the block is " +
                              std::to_string(block[i]) + ", not 1 to 256");
    box[rank - 1 - i] = static_cast<uint32_t>(block[i]);
  }
  constexpr int64_t swizzles[] = {0, 32, 64, 128}; // by CUtensorMapSwizzle
  const int64_t *found = std::find(std::begin(swizzles), std::end(swizzles), swizzle);
  if (found == std::end(swizzles))
    return fail(kernel, "its swizzle is not 0, 32, 64 or 128 bytes");
  swizzleMode = static_cast<int32_t>(found - swizzles);
  int64_t rowBytes = box[0] * elementBytes;
  if (rowBytes % static_cast<int64_t>(alignment) || (swizzle && rowBytes > swizzle))
    return fail(kernel, "rows of the block have " + std::to_string(rowBytes) +
                            " bytes, not a multiple of 16 within the swizzle");
  return true;
}

/// The expressions of a list, as many as `count`.
static std::string readList(PyObject *list, size_t count, std::vector<LaunchExpression> &result) {
  if (!list || !(PyList_Check(list) || PyTuple_Check(list)) ||
      PySequence_Fast_GET_SIZE(list) != static_cast<Py_ssize_t>(count))
    return "there are not " + std::to_string(count) + " of them";
  result.resize(count);
  for (size_t i = 0; i < count; ++i) {
    std::vector<int64_t> program;
    if (!readIntegers(PySequence_Fast_GET_ITEM(list, static_cast<Py_ssize_t>(i)), program))
      return "one is no list of integers";
    if (std::string problem = result[i].read(program); !problem.empty())
      return problem;
  }
  return "";
}

bool TensorMap::readExpressions(const std::string &kernel, PyObject *recipe) {
  std::vector<int64_t> program;
  bool isProgram = readIntegers(PyDict_GetItemString(recipe, "base"), program);
  std::string problem = isProgram ? base.read(program) : "it is no list of integers";
  if (!problem.empty())
    return fail(kernel, "base: " + problem);
  problem = readList(PyDict_GetItemString(recipe, "sizes"), rank, sizes);
  if (!problem.empty())
    return fail(kernel, "sizes: " + problem);
  problem = readList(PyDict_GetItemString(recipe, "strides"), rank - 1, strides);
  if (!problem.empty())
    return fail(kernel, "strides: " + problem);

  std::vector<size_t> arguments;
  base.listArguments(arguments);
  for (const auto *list : {&sizes, &strides})
    for (const LaunchExpression &expression : *list)
      expression.listArguments(arguments);
  for (size_t argument : arguments) {
    sources.push_back({argument, 0});
    slotsNeeded = std::max(slotsNeeded, argument + 1);
  }
  return true;
}

bool TensorMap::read(const std::string &kernel, PyObject *recipe) {
  if (!PyDict_Check(recipe))
    return fail(kernel, "it is no dictionary");
  return readElement(kernel, recipe) && readBlock(kernel, recipe) &&
         readExpressions(kernel, recipe);
}

bool readTensorMaps(const std::string &kernel, PyObject *recipes, std::vector<TensorMap> &maps) {
  Ref items(PySequence_Fast(recipes, "descriptors: expected a sequence"));
  if (!items)
    return false;
  for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(items.get()); ++i)
    if (!maps.emplace_back(static_cast<size_t>(i))
             .read(kernel, PySequence_Fast_GET_ITEM(items.get(), i)))
      return false;
  return true;
}

//===----------------------------------------------------------------------===//
// A launch
//===----------------------------------------------------------------------===//

/// Address, sizes and strides for these arguments; refused where no map can say them.
bool TensorMap::computeLayout(const std::string &kernel, const uint64_t *slots,
                              Layout &layout) const {
  const char *prefix = kernel.c_str();
  layout.address = static_cast<uint64_t>(base.evaluate(slots));
  if (layout.address % alignment) {
    PyErr_Format(PyExc_ValueError,
                 "kernel '%s': the array of tensor descriptor %zu begins at %p; expected an "
                 "address that is a multiple of 16",
                 prefix, number, reinterpret_cast<void *>(layout.address));
    return false;
  }
  for (size_t i = 0; i < rank; ++i) {
    int64_t size = sizes[i].evaluate(slots);
    if (size < 1 || static_cast<uint64_t>(size) > mostElements) {
      PyErr_Format(PyExc_ValueError,
                   "kernel '%s': size %zu of tensor descriptor %zu is %lld; expected 1 to 2**32",
                   prefix, i, number, static_cast<long long>(size));
      return false;
    }
    layout.sizes[rank - 1 - i] = static_cast<uint64_t>(size);
  }
  for (size_t i = 0; i + 1 < rank; ++i) {
    int64_t stride = strides[i].evaluate(slots), bytes;
    bool isRepresented = !__builtin_mul_overflow(stride, elementBytes, &bytes);
    if (!isRepresented || bytes % static_cast<int64_t>(alignment) || bytes < 0 ||
        static_cast<uint64_t>(bytes) >= strideLimit) {
      PyErr_Format(PyExc_ValueError,
                   "kernel '%s': stride %zu of tensor descriptor %zu is %lld elements of %lld "
                   "bytes; expected a multiple of 16 bytes from 0 to below 2**40",
                   prefix, i, number, static_cast<long long>(stride),
                   static_cast<long long>(elementBytes));
      return false;
    }
    layout.strides[rank - 2 - i] = static_cast<uint64_t>(bytes);
  }
  return true;
}

bool TensorMap::encode(const std::string &kernel, const LaunchRequest &request) {
  isEncoded = false; // until it is whole again
  if (request.slotCount < slotsNeeded)
    return fail(kernel, "it reads argument " + std::to_string(slotsNeeded - 1) + " of " +
                            std::to_string(request.slotCount));
  Layout layout;
  if (!computeLayout(kernel, request.slots, layout))
    return false;
  constexpr int32_t noInterleave = 0;   // CU_TENSOR_MAP_INTERLEAVE_NONE
  constexpr int32_t promotionOf128 = 2; // CU_TENSOR_MAP_L2_PROMOTION_L2_128B
  constexpr uint32_t steps[mostDimensions] = {1, 1, 1, 1, 1};
  Result result = Driver::get().encodeTensorMap(
      &map, dataType, static_cast<uint32_t>(rank), reinterpret_cast<void *>(layout.address),
      layout.sizes, layout.strides, box, steps, noInterleave, swizzleMode, promotionOf128, fill);
  if (result) {
    raiseRefusal(kernel, layout, result);
    return false;
  }
  for (Source &source : sources)
    source.value = request.slots[source.argument];
  isEncoded = true;
  return true;
}

/// The driver says only that something does not hold, so all that it was told is named.
void TensorMap::raiseRefusal(const std::string &kernel, const Layout &layout, Result result) const {
  auto join = [](const auto *values, size_t count) {
    std::string text;
    for (size_t i = count; i-- > 0;)
      text += std::to_string(values[i]) + (i ? ", " : "");
    return "(" + text + ")";
  };
  std::string call = "cuTensorMapEncodeTiled for tensor descriptor " + std::to_string(number) +
                     " of sizes " + join(layout.sizes, rank) + ", strides of " +
                     join(layout.strides, rank - 1) + " bytes and blocks of " + join(box, rank);
  Driver::get().raise(kernel, call.c_str(), result);
}

} // namespace tile::runtime::nvidia
