//===- Nest.h - One loop nest and the values computed in it ---------------===//
#ifndef TILE_COMPILER_CONVERSION_TILETOLOOPS_NEST_H
#define TILE_COMPILER_CONVERSION_TILETOLOOPS_NEST_H

#include "compiler/conversion/TileToLoops/Combiner.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <map>
#include <optional>

namespace tile::loops {

/// The index along one dimension of a block, for all lanes of a chunk.
struct Coord {
  mlir::Value base;           // i64: the index of the first lane
  mlir::Value lanes;          // vector of i64 where lanes differ in any way, else null
  bool isConsecutive = false; // lane `l` is at `base + l`
  unsigned level = 0;         // depth of the loop that it changes in
  int64_t multiple = 1;       // divides `base`

  bool isUniform() const { return !isConsecutive && !lanes; }
};
using Point = llvm::SmallVector<Coord, 4>;

/// The elements of a block at a point: a scalar where all lanes agree, else a vector.
struct Lanes {
  mlir::Value value;
  unsigned level = 0; // depth of the innermost loop that it depends on

  bool isUniform() const { return !llvm::isa<mlir::VectorType>(value.getType()); }
};

/// Where lanes read or write memory.
struct Address {
  enum Kind { Uniform, Consecutive, Scattered } kind;
  mlir::Value pointer; // of the first lane; a vector of pointers where scattered
  unsigned level;
  mlir::Value guard; // i1: whether a consecutive access is one indeed; null: it is
  // Where there is a guard: the block of pointers and the index in it.
  mlir::Value source;
  Point point;
};

class Nest {
public:
  Nest(Emitter &emitter, mlir::OpBuilder &builder, mlir::Location loc)
      : emitter(emitter), builder(builder), loc(loc) {
    levels.push_back({builder.getInsertionBlock(), nullptr});
  }
  /// Write the whole nest of `group` at the builder's position.
  void emit(const Group &group);
  /// Compute scalar operation `op` at the builder's position.
  llvm::SmallVector<mlir::Value> emitScalar(mlir::Operation *op);

private:
  struct Level {
    mlir::Block *block;
    mlir::Operation *before; // the next loop inside, null in the innermost block
  };
  using Key = std::pair<mlir::Value, unsigned>;
  /// One comparison that is true for all lanes below a bound.
  struct RangeTerm {
    mlir::Value condition;
    Point point;
    mlir::Value bound; // i64, of a lane index
  };
  struct Split {
    mlir::Value full, end; // i64: lanes without a mask, and where to stop
  };
  using Accumulators = llvm::SmallVector<mlir::Value>;
  struct Inputs {
    llvm::SmallVector<Lanes> operands;
    std::optional<Lanes> mask;
    std::optional<Address> address;
  };

  // Nest.cpp: loops.
  unsigned getWork(mlir::Value value, llvm::DenseSet<mlir::Value> &visited);
  int64_t chooseWidth(const Group &group);
  void emitOuterLoops(const Group &group);
  void emitLaneLoops(const Group &group);
  Accumulators emitLaneLoop(const Group &group, mlir::Value lower, mlir::Value upper, bool isMasked,
                            Accumulators accumulators);
  Accumulators emitBody(const Group &group, Accumulators accumulators);
  Accumulators emitElements(const Group &group, Accumulators accumulators);
  Inputs evaluateInputs(const Root &root);
  mlir::scf::ForOp openLoop(mlir::Value lower, mlir::Value upper, int64_t step,
                            mlir::ValueRange carried);
  void closeLoop(mlir::ValueRange carried);
  void setInsertionPoint(unsigned level);
  unsigned getInnermost() const { return levels.size() - 1; }

  // Evaluate.cpp: values.
  Lanes evaluate(mlir::Value value, const Point &point);
  Lanes compute(mlir::OpResult value, const Point &point);
  Lanes computeElementwise(mlir::OpResult value, llvm::ArrayRef<Lanes> operands);
  Lanes divideByOne(Lanes dividend, Lanes divisor);
  Lanes computePointerOp(mlir::Operation *op, llvm::ArrayRef<Lanes> operands);
  mlir::Value extendIndex(mlir::Value index, unsigned level);
  llvm::SmallVector<mlir::Value> readHalves(SplitOp split);
  mlir::Value loadGridValue(int32_t index);
  Lanes computeArange(ArangeOp op, const Point &point);
  mlir::Value getZero(mlir::Type type);
  Lanes computeConstant(mlir::arith::ConstantOp op);
  Lanes readBuffer(const Buffer &buffer, mlir::Type element, const Point &point);
  Lanes fromMemory(Lanes stored, mlir::Type from, mlir::Type to);
  mlir::Value toMemory(mlir::Value value, mlir::Type element, mlir::Type stored, bool isUnsigned);
  /// `lanes` as a vector.
  Lanes spread(Lanes lanes);
  /// A pointer as an integer.
  Lanes asInteger(Lanes pointer);
  mlir::Value getIota(mlir::Type element);
  mlir::VectorType getVector(mlir::Type element) { return mlir::VectorType::get({width}, element); }
  unsigned getPointId(const Point &point);

  // Shape.cpp: indices.
  Point mapPoint(mlir::Operation *shapeChange, const Point &point);
  Point mapReshape(ReshapeOp op, const Point &point);
  Coord linearize(llvm::ArrayRef<Coord> coords, llvm::ArrayRef<int64_t> sizes);
  void delinearize(Coord linear, llvm::ArrayRef<int64_t> sizes,
                   llvm::MutableArrayRef<Coord> result);
  mlir::Value getCoordLanes(const Coord &coord);
  std::pair<Coord, Coord> divideCoord(const Coord &coord, int64_t divisor);
  Coord addCoords(Coord a, Coord b);
  Coord scaleCoord(Coord coord, int64_t factor);
  Lanes selectJoined(JoinOp op, const Point &point);

  // Move.cpp: elements from other places.
  Point mapExtract(ExtractOp op, const Point &point);
  Lanes computeGather(GatherOp op, const Point &point);
  Lanes computeCat(CatOp op, const Point &point);
  /// `low` where the index lies below `bound`, else `high`.
  Lanes selectBelow(const Coord &coord, int64_t bound, Lanes low, Lanes high);

  // Elements.cpp: code for one element after the other.
  llvm::SmallVector<Lanes> computeByElement(mlir::Operation *op, llvm::ArrayRef<Lanes> operands);
  llvm::SmallVector<mlir::Value> runElements(mlir::Operation *op,
                                             llvm::ArrayRef<mlir::Value> elements);
  llvm::SmallVector<Lanes> loopOverElements(mlir::Operation *op, llvm::ArrayRef<Lanes> operands,
                                            unsigned level);
  mlir::Value getLiveLanes(unsigned &level);
  void emitAssembly(InlineAsmOp op, llvm::ArrayRef<Lanes> operands);

  // Access.cpp: memory.
  std::optional<int64_t> getStride(mlir::Value value, const Point &point);
  std::optional<int64_t> computeStride(mlir::Operation *op, const Point &point);
  bool isUniform(mlir::Value value, const Point &point) { return getStride(value, point) == 0; }
  Lanes evaluateFirst(mlir::Value value, const Point &point);
  Address resolve(mlir::Value pointer, const Point &point);
  void collectGuards(mlir::Value value, const Point &point,
                     llvm::SmallVectorImpl<mlir::Value> &guards);
  mlir::Value scatterPointers(mlir::Value pointer, const Point &point, unsigned &level);
  Lanes load(LoadOp op, const Point &point);
  mlir::Value loadUniform(mlir::Value pointer, mlir::Type element, mlir::Value mask,
                          mlir::Value other, bool isVolatile);
  mlir::Value loadConsecutive(mlir::Value pointer, mlir::Type memory, mlir::Value mask,
                              mlir::Value other, bool isVolatile);
  mlir::Value loadScattered(mlir::Value pointers, mlir::Type memory, mlir::Value mask,
                            mlir::Value other);
  mlir::Value loadLanes(const Address &address, mlir::Type memory, mlir::Value mask,
                        mlir::Value other, bool isVolatile);
  Lanes getOther(LoadOp op, const Point &point, mlir::Type memory);
  void storeConsecutive(mlir::Value value, mlir::Value pointer, mlir::Type memory,
                        mlir::Value mask);
  void storeScattered(mlir::Value value, mlir::Value pointers, mlir::Type memory, mlir::Value mask);
  void storeVector(mlir::Value stored, const Address &address, mlir::Type memory, mlir::Value mask);
  void storeLanes(const Address &address, mlir::Type element, Lanes value,
                  std::optional<Lanes> mask);
  void storeBuffer(const Buffer &buffer, mlir::Type element, Lanes value, const Point &point,
                   bool isUnsigned);
  Address resolveBuffer(const Buffer &buffer, const Point &point);
  /// The mask of an access, with the lanes beyond the block's size off; none where all are on.
  std::optional<Lanes> getAccessMask(mlir::Value mask, const Point &point);

  // LaneLoops.cpp: memory, one lane after the other.
  bool goesByLane(const Address &address, mlir::Type memory, bool isStore, bool isMasked);
  void emitLaneByLane(mlir::Value mask, llvm::function_ref<void(mlir::Value)> body);
  mlir::Value evaluateLanePointer(const Address &address, mlir::Value lane);
  mlir::Value getSlotAddress(mlir::Value slot, mlir::Type element, mlir::Value lane);
  std::function<mlir::Value(mlir::Value)> splitPointers(const Address &address, mlir::Type memory);
  mlir::Value loadByLane(const Address &address, mlir::Type memory, mlir::Value mask,
                         mlir::Value other);
  void storeByLane(mlir::Value value, const Address &address, mlir::Type memory, mlir::Value mask);

  // Streams.cpp: stores past the caches.
  mlir::Value getStreamCondition(const Address &address, mlir::Type memory);
  void storeStreamed(mlir::Value stored, const Address &address, mlir::Type memory,
                     mlir::Value condition);

  // Masks.cpp: ranges of lanes.
  llvm::SmallVector<RangeTerm> collectRangeTerms(const Group &group, size_t &numOfLoads);
  std::optional<Split> findSplit(const Group &group);
  void collectMasks(mlir::Value value, const Point &point, llvm::SmallVectorImpl<RangeTerm> &terms,
                    llvm::DenseSet<Key> &visited);
  void collectTerms(mlir::Value mask, const Point &point, llvm::SmallVectorImpl<RangeTerm> &terms);
  mlir::Value computeBound(mlir::Value term, const Point &point);
  mlir::Value getBound(mlir::arith::CmpIOp compare, const Point &point);
  mlir::Value getStopBound(const Group &group);
  bool isTrueHere(mlir::Value condition, const Point &point);

  // Reduce.cpp.
  bool startsFromElements(const Group &group);
  Accumulators getInitial(const Group &group);
  void combine(ReduceOp op, llvm::ArrayRef<Lanes> elements,
               llvm::MutableArrayRef<mlir::Value> accumulators);
  llvm::SmallVector<mlir::Value> applyCombiner(ReduceOp op, mlir::ValueRange a,
                                               mlir::ValueRange b) {
    return loops::applyCombiner(emitter, builder, loc, op.getCombiner(), a, b);
  }
  void finishAlongLanes(const Group &group, mlir::ValueRange accumulators);
  void finishAcrossLanes(const Group &group, mlir::ValueRange accumulators);
  llvm::SmallVector<mlir::Value> reduceLanes(ReduceOp op, llvm::SmallVector<mlir::Value> values,
                                             int64_t count);
  void storeReduced(ReduceOp op, unsigned index, Lanes value);

  // Atomics.cpp.
  mlir::Value emitAtomicLane(mlir::Operation *op, llvm::ArrayRef<mlir::Value> operands,
                             mlir::Value mask);
  mlir::Value emitAtomicMemory(mlir::Operation *op, llvm::ArrayRef<mlir::Value> operands,
                               mlir::Type type, mlir::Value mask);
  mlir::Value emitPoll(AtomicPollOp op, mlir::Value pointer, mlir::Value expected,
                       mlir::Value timeout);
  mlir::Value getLaneIndex(mlir::Value lane);
  void emitAtomic(mlir::Operation *op, llvm::ArrayRef<Lanes> operands, std::optional<Lanes> mask);

  Emitter &emitter;
  mlir::OpBuilder &builder;
  mlir::Location loc;
  llvm::SmallVector<Level> levels;
  unsigned floor = 0; // no operation is placed further out
  Point position;     // of the loops, in the group's shape
  int64_t width = 1;  // lanes of a chunk
  int laneDim = -1;
  bool isLarge = false;       // the body: computing takes longer than reading
  bool mayStream = false;     // the store that is being written
  bool hasFirstChunk = false; // whether reductions have seen their first elements
  bool areMasksTrue = false;  // in the part of a loop where all range terms hold
  mlir::Value tailMask;       // lanes inside the block, where some are not
  const Group *current = nullptr;
  llvm::DenseMap<Key, Lanes> values;
  llvm::DenseMap<Key, std::optional<int64_t>> strides;
  llvm::DenseSet<Key> rangeTerms;
  llvm::DenseMap<Key, mlir::Value> bounds;
  std::map<std::vector<const void *>, unsigned> pointIds;
  llvm::DenseMap<std::pair<mlir::Operation *, unsigned>, Point> mappedPoints;
};

} // namespace tile::loops

#endif // TILE_COMPILER_CONVERSION_TILETOLOOPS_NEST_H
