// Elements of 16 bits that are put together are computed two at a time.
// RUN: tile-translate %s --target=nvidia:sm_90a --from=llvm --emit=llvmir | FileCheck %s

// Halves of bytes as numbers: spread over a word once, without sign where a mask takes none.
// CHECK-LABEL: @nibbles
// CHECK: %[[BYTES:.*]] = load i16
// CHECK: zext i16 %[[BYTES]] to i32
// CHECK: shl {{.*}}i32 %{{.*}}, 8
// CHECK-NOT: i8{{$}}
// CHECK-COUNT-2: fadd <2 x half> %{{.*}}, splat (half 0xHE408)
// CHECK-NOT: fadd
// CHECK: ret void
llvm.func @nibbles(%in: !llvm.ptr<1>, %out: !llvm.ptr<1>) attributes {nvvm.kernel} {
  %mask = llvm.mlir.constant(dense<15> : vector<2xi8>) : vector<2xi8>
  %four = llvm.mlir.constant(dense<4> : vector<2xi8>) : vector<2xi8>
  %bits = llvm.mlir.constant(dense<25600> : vector<2xi16>) : vector<2xi16>
  %bias = llvm.mlir.constant(dense<1.032000e+03> : vector<2xf16>) : vector<2xf16>
  %bytes = llvm.load %in {alignment = 2 : i64} : !llvm.ptr<1> -> vector<2xi8>
  %low = llvm.and %bytes, %mask : vector<2xi8>
  %lows = llvm.sext %low : vector<2xi8> to vector<2xi16>
  %low1 = llvm.or %lows, %bits : vector<2xi16>
  %low2 = llvm.bitcast %low1 : vector<2xi16> to vector<2xf16>
  %low3 = llvm.fsub %low2, %bias : vector<2xf16>
  llvm.store %low3, %out {alignment = 4 : i64} : vector<2xf16>, !llvm.ptr<1>
  %shifted = llvm.ashr %bytes, %four : vector<2xi8>
  %high = llvm.and %shifted, %mask : vector<2xi8>
  %highs = llvm.sext %high : vector<2xi8> to vector<2xi16>
  %high1 = llvm.or %highs, %bits : vector<2xi16>
  %high2 = llvm.bitcast %high1 : vector<2xi16> to vector<2xf16>
  %high3 = llvm.fsub %high2, %bias : vector<2xf16>
  llvm.store %high3, %in {alignment = 4 : i64} : vector<2xf16>, !llvm.ptr<1>
  llvm.return
}

// More than two: as many pairs, which LLVM joins again. Elements that are computed in different ways stay apart.
// CHECK-LABEL: @four
// CHECK: fmul <4 x half>
// CHECK: fadd half
// CHECK: fmul half
// CHECK: ret void
llvm.func @four(%in: !llvm.ptr<1>, %out: !llvm.ptr<1>) attributes {nvvm.kernel} {
  %zero = llvm.mlir.constant(0 : i32) : i32
  %one = llvm.mlir.constant(1 : i32) : i32
  %x = llvm.load %in {alignment = 8 : i64} : !llvm.ptr<1> -> vector<4xf16>
  %y = llvm.fmul %x, %x : vector<4xf16>
  llvm.store %y, %out {alignment = 8 : i64} : vector<4xf16>, !llvm.ptr<1>
  %a = llvm.extractelement %x[%zero : i32] : vector<4xf16>
  %b = llvm.extractelement %x[%one : i32] : vector<4xf16>
  %sum = llvm.fadd %a, %b : f16
  %product = llvm.fmul %a, %b : f16
  %none = llvm.mlir.undef : vector<2xf16>
  %first = llvm.insertelement %sum, %none[%zero : i32] : vector<2xf16>
  %both = llvm.insertelement %product, %first[%one : i32] : vector<2xf16>
  llvm.store %both, %in {alignment = 4 : i64} : vector<2xf16>, !llvm.ptr<1>
  llvm.return
}

// Signs that count keep their shifts.
// CHECK-LABEL: @signs
// CHECK-COUNT-2: ashr i16
// CHECK: ret void
llvm.func @signs(%in: !llvm.ptr<1>, %out: !llvm.ptr<1>) attributes {nvvm.kernel} {
  %four = llvm.mlir.constant(dense<4> : vector<2xi16>) : vector<2xi16>
  %mask = llvm.mlir.constant(dense<8191> : vector<2xi16>) : vector<2xi16>
  %x = llvm.load %in {alignment = 4 : i64} : !llvm.ptr<1> -> vector<2xi16>
  %shifted = llvm.ashr %x, %four : vector<2xi16>
  %masked = llvm.and %shifted, %mask : vector<2xi16>
  llvm.store %masked, %out {alignment = 4 : i64} : vector<2xi16>, !llvm.ptr<1>
  llvm.return
}

// Of four bytes in a word two are spread by one permutation. A choice between halves is one for both, where one
// condition chooses.
// CHECK-LABEL: @bytes
// CHECK-COUNT-2: shufflevector <4 x i8> %{{.*}}, <4 x i8> {{.*}}, <4 x i32> <i32 {{0|2}}, i32 4, i32 {{1|3}}, i32 4>
// CHECK-COUNT-2: fadd <2 x half>
// CHECK-COUNT-2: select i1 %{{.*}}, <2 x half>
// CHECK-NOT: select
// CHECK: ret void
llvm.func @bytes(%in: !llvm.ptr<1>, %out: !llvm.ptr<1>, %which: i1) attributes {nvvm.kernel} {
  %c0 = llvm.mlir.constant(0 : i32) : i32
  %c1 = llvm.mlir.constant(1 : i32) : i32
  %c2 = llvm.mlir.constant(2 : i32) : i32
  %c3 = llvm.mlir.constant(3 : i32) : i32
  %bits = llvm.mlir.constant(dense<25728> : vector<4xi16>) : vector<4xi16>
  %bias = llvm.mlir.constant(dense<1.152000e+03> : vector<4xf16>) : vector<4xf16>
  %bytes = llvm.load %in {alignment = 4 : i64} : !llvm.ptr<1> -> vector<4xi8>
  %wide = llvm.zext %bytes : vector<4xi8> to vector<4xi16>
  %coded = llvm.xor %wide, %bits : vector<4xi16>
  %halves = llvm.bitcast %coded : vector<4xi16> to vector<4xf16>
  %x = llvm.fsub %halves, %bias : vector<4xf16>
  %x0 = llvm.extractelement %x[%c0 : i32] : vector<4xf16>
  %x1 = llvm.extractelement %x[%c1 : i32] : vector<4xf16>
  %x2 = llvm.extractelement %x[%c2 : i32] : vector<4xf16>
  %x3 = llvm.extractelement %x[%c3 : i32] : vector<4xf16>
  %y0 = llvm.select %which, %x0, %x2 : i1, f16
  %y1 = llvm.select %which, %x1, %x3 : i1, f16
  %y2 = llvm.select %which, %x2, %x0 : i1, f16
  %y3 = llvm.select %which, %x3, %x1 : i1, f16
  %none = llvm.mlir.undef : vector<4xf16>
  %z0 = llvm.insertelement %y0, %none[%c0 : i32] : vector<4xf16>
  %z1 = llvm.insertelement %y1, %z0[%c1 : i32] : vector<4xf16>
  %z2 = llvm.insertelement %y2, %z1[%c2 : i32] : vector<4xf16>
  %z3 = llvm.insertelement %y3, %z2[%c3 : i32] : vector<4xf16>
  llvm.store %z3, %out {alignment = 8 : i64} : vector<4xf16>, !llvm.ptr<1>
  llvm.return
}

// A constant above the bytes comes by the same permutation.
// CHECK-LABEL: @filled
// CHECK-COUNT-2: shufflevector <4 x i8> %{{.*}}, <4 x i8> {{.*}}67{{.*}}, <4 x i32> <i32 {{0|2}}, i32 4, i32 {{1|3}}, i32 4>
// CHECK-NOT: {{= or}}
// CHECK: ret void
llvm.func @filled(%in: !llvm.ptr<1>, %out: !llvm.ptr<1>) attributes {nvvm.kernel} {
  %bits = llvm.mlir.constant(dense<17152> : vector<4xi16>) : vector<4xi16>
  %bias = llvm.mlir.constant(dense<1.280000e+02> : vector<4xbf16>) : vector<4xbf16>
  %bytes = llvm.load %in {alignment = 4 : i64} : !llvm.ptr<1> -> vector<4xi8>
  %wide = llvm.zext %bytes : vector<4xi8> to vector<4xi16>
  %coded = llvm.or %wide, %bits : vector<4xi16>
  %halves = llvm.bitcast %coded : vector<4xi16> to vector<4xbf16>
  %x = llvm.fsub %halves, %bias : vector<4xbf16>
  llvm.store %x, %out {alignment = 8 : i64} : vector<4xbf16>, !llvm.ptr<1>
  llvm.return
}

// Lower halves of words are put together first, and computed as one.
// CHECK-LABEL: @words
// CHECK-COUNT-2: trunc i32
// CHECK: fadd <2 x half>
// CHECK-NOT: fadd
// CHECK: ret void
llvm.func @words(%a: i32, %b: i32, %out: !llvm.ptr<1>) attributes {nvvm.kernel} {
  %c0 = llvm.mlir.constant(0 : i32) : i32
  %c1 = llvm.mlir.constant(1 : i32) : i32
  %bias = llvm.mlir.constant(1.536000e+03 : f16) : f16
  %s = llvm.trunc %a : i32 to i16
  %t = llvm.trunc %b : i32 to i16
  %u = llvm.bitcast %s : i16 to f16
  %v = llvm.bitcast %t : i16 to f16
  %x = llvm.fsub %u, %bias : f16
  %y = llvm.fsub %v, %bias : f16
  %none = llvm.mlir.undef : vector<2xf16>
  %first = llvm.insertelement %x, %none[%c0 : i32] : vector<2xf16>
  %both = llvm.insertelement %y, %first[%c1 : i32] : vector<2xf16>
  llvm.store %both, %out {alignment = 4 : i64} : vector<2xf16>, !llvm.ptr<1>
  llvm.return
}
