; What only the CDNA targets have.

@shared = internal addrspace(3) global [64 x i32] poison, align 16

; y[t] = x[63 - t]: global memory straight into LDS, then read from there
define amdgpu_kernel void @load_to_lds(ptr addrspace(1) %x, ptr addrspace(1) %y) #0 {
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %i = zext i32 %t to i64
  %px = getelementptr i32, ptr addrspace(1) %x, i64 %i
  call void @llvm.amdgcn.global.load.lds(ptr addrspace(1) %px, ptr addrspace(3) @shared, i32 4, i32 0, i32 0)
  fence syncscope("workgroup") release
  call void @llvm.amdgcn.s.barrier()
  fence syncscope("workgroup") acquire
  %other = sub i32 63, %t
  %from = getelementptr i32, ptr addrspace(3) @shared, i32 %other
  %r = load i32, ptr addrspace(3) %from
  %py = getelementptr i32, ptr addrspace(1) %y, i64 %i
  store i32 %r, ptr addrspace(1) %py
  ret void
}

; the same through a buffer of 50 elements: zero beyond
define amdgpu_kernel void @buffer_to_lds(ptr addrspace(1) %x, ptr addrspace(1) %y) #0 {
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %i = zext i32 %t to i64
  %r = call ptr addrspace(8) @llvm.amdgcn.make.buffer.rsrc.p8.p1(ptr addrspace(1) %x, i16 0, i64 200, i32 159744)
  %offset = shl i32 %t, 2
  call void @llvm.amdgcn.raw.ptr.buffer.load.lds(ptr addrspace(8) %r, ptr addrspace(3) @shared, i32 4, i32 %offset, i32 0, i32 0, i32 0)
  fence syncscope("workgroup") release
  call void @llvm.amdgcn.s.barrier()
  fence syncscope("workgroup") acquire
  %from = getelementptr i32, ptr addrspace(3) @shared, i32 %t
  %v = load i32, ptr addrspace(3) %from
  %py = getelementptr i32, ptr addrspace(1) %y, i64 %i
  store i32 %v, ptr addrspace(1) %py
  ret void
}

attributes #0 = { nounwind "amdgpu-flat-work-group-size"="64,64" }
