// RUN: tile-opt %s -split-input-file -verify-diagnostics

func.func @scalar(%x: f32, %p: !llvm.ptr<1>) {
  // expected-error @+1 {{expects a vector of f32, f16 or bf16, of 32 (not f32), 64 or 128 bits, got 'f32'}}
  nvidia.add %x, %p scope gpu : f32, !llvm.ptr<1>
  return
}

// -----

func.func @wide(%x: vector<8xf32>, %p: !llvm.ptr<1>) {
  // expected-error @+1 {{64 or 128 bits, got 'vector<8xf32>'}}
  nvidia.add %x, %p scope gpu : vector<8xf32>, !llvm.ptr<1>
  return
}

// -----

func.func @integers(%x: vector<4xi32>, %p: !llvm.ptr<1>) {
  // expected-error @+1 {{expects a vector of f32, f16 or bf16}}
  nvidia.add %x, %p scope gpu : vector<4xi32>, !llvm.ptr<1>
  return
}
