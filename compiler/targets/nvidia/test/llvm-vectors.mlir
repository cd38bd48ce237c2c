// Vectors are taken apart, around loops too; what nobody uses of them goes away.
// RUN: tile-translate %s --target=nvidia:sm_90a --from=llvm --emit=llvmir | FileCheck %s

// CHECK-LABEL: @around_a_loop
// CHECK-NOT: x float>
// CHECK: phi i32
// CHECK-NEXT: phi float
// CHECK-NOT: phi
// CHECK: call float @llvm.fma.f32
// CHECK-NOT: fma
// CHECK: ret void
llvm.func @around_a_loop(%count: i32, %out: !llvm.ptr<1>) attributes {nvvm.kernel} {
  %zero = llvm.mlir.constant(0 : i32) : i32
  %one = llvm.mlir.constant(1 : i32) : i32
  %two = llvm.mlir.constant(dense<[3.0, 2.0, 1.0, 4.0]> : vector<4xf32>) : vector<4xf32>
  %zeros = llvm.mlir.constant(dense<0.0> : vector<4xf32>) : vector<4xf32>
  llvm.br ^head(%zero, %zeros : i32, vector<4xf32>)
^head(%i: i32, %sum: vector<4xf32>):
  %more = llvm.icmp "slt" %i, %count : i32
  llvm.cond_br %more, ^body, ^end
^body:
  %scaled = llvm.fmul %sum, %two : vector<4xf32>
  %fused = llvm.intr.fma(%scaled, %two, %two) : (vector<4xf32>, vector<4xf32>, vector<4xf32>) -> vector<4xf32>
  %next = llvm.add %i, %one : i32
  llvm.br ^head(%next, %fused : i32, vector<4xf32>)
^end:
  %last = llvm.extractelement %sum[%zero : i32] : vector<4xf32>
  llvm.store %last, %out : f32, !llvm.ptr<1>
  llvm.return
}

// Parts of elements, and elements of parts; a store keeps its vector.
// CHECK-LABEL: @casts
// CHECK-COUNT-2: bitcast i32 {{.*}} to <2 x half>
// CHECK-COUNT-2: bitcast <2 x half> {{.*}} to i32
// CHECK: store <4 x i32>
llvm.func @casts(%a: i32, %b: i32, %out: !llvm.ptr<1>) attributes {nvvm.kernel} {
  %zero = llvm.mlir.constant(0 : i32) : i32
  %one = llvm.mlir.constant(1 : i32) : i32
  %none = llvm.mlir.undef : vector<2xi32>
  %first = llvm.insertelement %a, %none[%zero : i32] : vector<2xi32>
  %both = llvm.insertelement %b, %first[%one : i32] : vector<2xi32>
  %halves = llvm.bitcast %both : vector<2xi32> to vector<4xf16>
  %doubled = llvm.fadd %halves, %halves : vector<4xf16>
  %words = llvm.bitcast %doubled : vector<4xf16> to vector<2xi32>
  %turned = llvm.shufflevector %words, %both [1, 0, 3, 2] : vector<2xi32>
  llvm.store %turned, %out {alignment = 16 : i64} : vector<4xi32>, !llvm.ptr<1>
  llvm.return
}

// A place that only the run knows leaves the vector as it is.
// CHECK-LABEL: @unknown_places
// CHECK: %[[ROW:.*]] = load <4 x float>
// CHECK: extractelement <4 x float> %[[ROW]], i32 %{{.*}}
llvm.func @unknown_places(%in: !llvm.ptr<1>, %i: i32, %out: !llvm.ptr<1>) attributes {nvvm.kernel} {
  %row = llvm.load %in {alignment = 16 : i64} : !llvm.ptr<1> -> vector<4xf32>
  %element = llvm.extractelement %row[%i : i32] : vector<4xf32>
  llvm.store %element, %out : f32, !llvm.ptr<1>
  llvm.return
}

// Comparisons, choices, and addresses, with scalars for all elements among their operands.
// CHECK-LABEL: @addresses
// CHECK: icmp slt i32
// CHECK: select i1
// CHECK: getelementptr
// CHECK-NOT: <2 x
// CHECK: ret void
llvm.func @addresses(%i: i32, %limit: i32, %out: !llvm.ptr<1>) attributes {nvvm.kernel} {
  %zero = llvm.mlir.constant(0 : i32) : i32
  %one = llvm.mlir.constant(1 : i32) : i32
  %places = llvm.mlir.constant(dense<[0, 7]> : vector<2xi32>) : vector<2xi32>
  %none = llvm.mlir.poison : vector<2xi32>
  %first = llvm.insertelement %i, %none[%zero : i32] : vector<2xi32>
  %same = llvm.shufflevector %first, %none [0, 0] : vector<2xi32>
  %sum = llvm.add %same, %places : vector<2xi32>
  %bound = llvm.insertelement %limit, %none[%zero : i32] : vector<2xi32>
  %bounds = llvm.shufflevector %bound, %none [0, 0] : vector<2xi32>
  %inside = llvm.icmp "slt" %sum, %bounds : vector<2xi32>
  %chosen = llvm.select %inside, %sum, %places : vector<2xi1>, vector<2xi32>
  %pointers = llvm.getelementptr %out[%chosen] : (!llvm.ptr<1>, vector<2xi32>) -> vector<2x!llvm.ptr<1>>, f32
  %pointer = llvm.extractelement %pointers[%one : i32] : vector<2x!llvm.ptr<1>>
  llvm.store %i, %pointer : i32, !llvm.ptr<1>
  llvm.return
}
