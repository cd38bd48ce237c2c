//===- Polling.cpp - Read again and again until a value is there ----------===//
#include "compiler/conversion/Polling/Polling.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace tile;

Value tile::emitPolling(ImplicitLocOpBuilder &b, Value expected, Value timeout,
                        PollRead readElement, PollRead readClock) {
  using P = arith::CmpIPredicate;
  Value start = timeout ? readClock(b) : Value();
  auto body = [&](OpBuilder &nested, Location loc, ValueRange) {
    ImplicitLocOpBuilder inner(loc, nested);
    Value found = arith::CmpIOp::create(inner, P::eq, readElement(inner), expected);
    Value isTrue = arith::ConstantOp::create(inner, inner.getBoolAttr(true));
    Value again = arith::XOrIOp::create(inner, found, isTrue);
    if (timeout) {
      Value passed = arith::SubIOp::create(inner, readClock(inner), start);
      Value inTime = arith::CmpIOp::create(inner, P::slt, passed, timeout);
      again = arith::AndIOp::create(inner, again, inTime);
    }
    scf::ConditionOp::create(inner, again, found);
  };
  auto repeat = [](OpBuilder &nested, Location loc, ValueRange) {
    scf::YieldOp::create(nested, loc);
  };
  return scf::WhileOp::create(b, TypeRange(b.getI1Type()), ValueRange(), body, repeat).getResult(0);
}
