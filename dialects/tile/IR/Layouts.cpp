//===- Layouts.cpp - The layout attribute and the types that bear it ------===//
#include "dialects/tile/IR/TileDialect.h"

#include "mlir/IR/DialectImplementation.h"

using namespace mlir;
using namespace tile;

//===----------------------------------------------------------------------===//
// Syntax of #tile.layout
//===----------------------------------------------------------------------===//

namespace {
/// The parts of a layout as they are read, in the form that LinearLayout::print writes.
class LayoutReader {
public:
  explicit LayoutReader(AsmParser &parser) : parser(parser) {}

  ParseResult read() {
    if (readIntegers(shape))
      return failure();
    if (failed(parser.parseOptionalColon()))
      return success();
    return parser.parseCommaSeparatedList([&] { return readEntry(); });
  }

  SmallVector<int64_t> shape;
  LinearLayout::Bases bases;
  SmallVector<Repeat, 2> repeats;

private:
  template <typename Vector> ParseResult readIntegers(Vector &values) {
    return parser.parseCommaSeparatedList(
        AsmParser::Delimiter::Square, [&] { return parser.parseInteger(values.emplace_back()); });
  }

  FailureOr<Dim> readDim(StringRef name, SMLoc loc) {
    if (std::optional<Dim> dim = getDimByName(name))
      return *dim;
    return parser.emitError(loc, "expects the name of an index space, got '") << name << "'";
  }

  ParseResult readEntry() {
    StringRef name;
    SMLoc loc = parser.getCurrentLocation();
    if (parser.parseKeyword(&name) || parser.parseEqual())
      return failure();
    if (name == "repeat")
      return parser.parseCommaSeparatedList(AsmParser::Delimiter::Square,
                                            [&] { return readRepeat(); });
    FailureOr<Dim> dim = readDim(name, loc);
    if (failed(dim))
      return failure();
    auto &columns = bases.emplace_back(*dim, SmallVector<LinearLayout::Basis, 8>()).second;
    return parser.parseCommaSeparatedList(AsmParser::Delimiter::Square,
                                          [&] { return readIntegers(columns.emplace_back()); });
  }

  ParseResult readRepeat() {
    Repeat repeat{Dim::None, Dim::None, 1};
    StringRef in, out;
    SMLoc loc = parser.getCurrentLocation();
    if (parser.parseKeyword(&in) || parser.parseKeyword("x") || parser.parseInteger(repeat.count))
      return failure();
    FailureOr<Dim> dim = readDim(in, loc);
    if (failed(dim))
      return failure();
    repeat.in = *dim;
    if (succeeded(parser.parseOptionalArrow())) {
      loc = parser.getCurrentLocation();
      if (parser.parseKeyword(&out) || failed(dim = readDim(out, loc)))
        return failure();
      repeat.out = *dim;
    }
    repeats.push_back(repeat);
    return success();
  }

  AsmParser &parser;
};
} // namespace

Attribute LayoutAttr::parse(AsmParser &parser, Type) {
  LayoutReader reader(parser);
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseLess() || reader.read() || parser.parseGreater())
    return {};
  std::string error = LinearLayout::verify(reader.shape, reader.bases, reader.repeats);
  if (!error.empty()) {
    parser.emitError(loc, error);
    return {};
  }
  return get(parser.getContext(), LinearLayout::get(reader.shape, reader.bases, reader.repeats));
}

void LayoutAttr::print(AsmPrinter &printer) const {
  printer << "<";
  getLayout().print(printer.getStream());
  printer << ">";
}

/// Whether `layout` has the rank of `shape` and covers it.
static LogicalResult verifyCovers(const LinearLayout &layout, ArrayRef<int64_t> shape,
                                  function_ref<InFlightDiagnostic()> emitError) {
  SmallVector<int64_t> covered = layout.getShape();
  bool covers = covered.size() == shape.size();
  for (size_t dim = 0; covers && dim < shape.size(); ++dim)
    covers = covered[dim] >= shape[dim];
  if (!covers)
    return emitError() << "expects a layout that covers [" << shape << "], got one of [" << covered
                       << "]";
  return success();
}

LogicalResult LayoutAttr::verifyEncoding(ArrayRef<int64_t> shape, Type,
                                         function_ref<InFlightDiagnostic()> emitError) const {
  if (getLayout().getInSize(Dim::Offset) > 1) // layout.2
    return emitError() << "expects a layout of threads, got one of on-chip memory";
  return verifyCovers(getLayout(), shape, emitError); // layout.1
}

//===----------------------------------------------------------------------===//
// !tile.buffer
//===----------------------------------------------------------------------===//

Type BufferType::parse(AsmParser &parser) {
  SmallVector<int64_t> shape;
  Type element;
  LayoutAttr layout;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseLess() || parser.parseDimensionList(shape, /*allowDynamic=*/false) ||
      parser.parseType(element) || parser.parseComma() || parser.parseAttribute(layout) ||
      parser.parseGreater())
    return {};
  return parser.getChecked<BufferType>(loc, parser.getContext(), ArrayRef(shape), element, layout);
}

void BufferType::print(AsmPrinter &printer) const {
  printer << "<";
  printer.printDimensionList(getShape());
  printer << "x" << getElementType() << ", ";
  printer.printAttribute(getLayout());
  printer << ">";
}

LogicalResult BufferType::verify(function_ref<InFlightDiagnostic()> emitError,
                                 ArrayRef<int64_t> shape, Type elementType, LayoutAttr layout) {
  const LinearLayout &memory = layout.getLayout();
  for (Dim in : {Dim::Register, Dim::Lane, Dim::Warp, Dim::Block})
    if (memory.getInSize(in) > 1) // buffer.1
      return emitError() << "expects a layout of on-chip memory, got one with the input "
                         << getDimName(in);
  if (!memory.isInjective()) // buffer.1
    return emitError() << "expects a layout that holds each element once";
  if (!isa<IntegerType, FloatType>(elementType)) // buffer.3
    return emitError() << "expects integers or floats as elements, got " << elementType;
  if (shape.size() != memory.getRank() && shape.size() != memory.getRank() + 1) // buffer.2
    return emitError() << "expects a layout of rank " << shape.size() << " or one less, got "
                       << memory.getRank();
  return verifyCovers(memory, shape.take_back(memory.getRank()), emitError); // buffer.2
}

bool BufferType::isStack() const { return getShape().size() > getLayout().getLayout().getRank(); }

ArrayRef<int64_t> BufferType::getBlockShape() const {
  return getShape().take_back(getLayout().getLayout().getRank());
}

BufferType BufferType::getBlockType() const {
  return get(getContext(), getBlockShape(), getElementType(), getLayout());
}

int64_t BufferType::getElementBytes() const {
  return std::max<int64_t>(1, getElementType().getIntOrFloatBitWidth() / 8);
}

int64_t BufferType::getBlockBytes() const {
  return getLayout().getLayout().getInSize(Dim::Offset) * getElementBytes();
}

LogicalResult PendingType::verify(function_ref<InFlightDiagnostic()> emitError, Type value) {
  if (!isa<BufferType, RankedTensorType>(value)) // pending.1
    return emitError() << "expects a buffer or a block, got " << value;
  return success();
}
