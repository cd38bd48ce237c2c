; Where a kernel finds its arguments, thread ids and workgroup ids.

; out[((z * 2 + y) * 3 + x) * 64 + t] = (x + 10 y + 100 z) * 1000 + t + byte + int(value), grid 3 x 2 x 2
define amdgpu_kernel void @workgroup_ids(ptr addrspace(1) %out, i8 %byte, float %value, i64 %wide) #0 {
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %x = call i32 @llvm.amdgcn.workgroup.id.x()
  %y = call i32 @llvm.amdgcn.workgroup.id.y()
  %z = call i32 @llvm.amdgcn.workgroup.id.z()
  %y10 = mul i32 %y, 10
  %z100 = mul i32 %z, 100
  %xy = add i32 %x, %y10
  %xyz = add i32 %xy, %z100
  %tagged = mul i32 %xyz, 1000
  %with.t = add i32 %tagged, %t
  %b = sext i8 %byte to i32
  %with.b = add i32 %with.t, %b
  %v = fptosi float %value to i32
  %with.v = add i32 %with.b, %v
  %result = sext i32 %with.v to i64
  %all = add i64 %result, %wide
  %z2 = mul i32 %z, 2
  %zy = add i32 %z2, %y
  %zy3 = mul i32 %zy, 3
  %group = add i32 %zy3, %x
  %g64 = mul i32 %group, 64
  %i = add i32 %g64, %t
  %i64 = zext i32 %i to i64
  %p = getelementptr i64, ptr addrspace(1) %out, i64 %i64
  store i64 %all, ptr addrspace(1) %p
  ret void
}

; out[x + 5 y + 15 z] = x + 10 y + 100 z for a block of 5 x 3 x 4, which does not fill its last wave
define amdgpu_kernel void @thread_ids(ptr addrspace(1) %out) #1 {
  %x = call i32 @llvm.amdgcn.workitem.id.x()
  %y = call i32 @llvm.amdgcn.workitem.id.y()
  %z = call i32 @llvm.amdgcn.workitem.id.z()
  %y5 = mul i32 %y, 5
  %z15 = mul i32 %z, 15
  %xy = add i32 %x, %y5
  %i = add i32 %xy, %z15
  %y10 = mul i32 %y, 10
  %z100 = mul i32 %z, 100
  %a = add i32 %x, %y10
  %v = add i32 %a, %z100
  %i64 = zext i32 %i to i64
  %p = getelementptr i32, ptr addrspace(1) %out, i64 %i64
  store i32 %v, ptr addrspace(1) %p
  ret void
}

; out[0] = blocks along x * 1000 + threads of a block along x, from the hidden arguments
define amdgpu_kernel void @hidden_arguments(ptr addrspace(1) %out) #2 {
  %args = call ptr addrspace(4) @llvm.amdgcn.implicitarg.ptr()
  %blocks = load i32, ptr addrspace(4) %args
  %size.p = getelementptr i8, ptr addrspace(4) %args, i64 12
  %size = load i16, ptr addrspace(4) %size.p
  %size32 = zext i16 %size to i32
  %scaled = mul i32 %blocks, 1000
  %v = add i32 %scaled, %size32
  store i32 %v, ptr addrspace(1) %out
  ret void
}

; out[t] = threads of the whole grid along x, from the dispatch packet
define amdgpu_kernel void @dispatch_packet(ptr addrspace(1) %out) #2 {
  %packet = call ptr addrspace(4) @llvm.amdgcn.dispatch.ptr()
  %p = getelementptr i8, ptr addrspace(4) %packet, i64 12
  %n = load i32, ptr addrspace(4) %p
  store i32 %n, ptr addrspace(1) %out
  ret void
}

; out[0] = a + b, with arguments that gfx9 preloads into registers when asked to
define amdgpu_kernel void @preloaded(ptr addrspace(1) inreg %out, i32 inreg %a, i32 inreg %b) #2 {
  %g = call i32 @llvm.amdgcn.workgroup.id.x()
  %sum = add i32 %a, %b
  %g64 = zext i32 %g to i64
  %p = getelementptr i32, ptr addrspace(1) %out, i64 %g64
  store i32 %sum, ptr addrspace(1) %p
  ret void
}

attributes #0 = { nounwind "amdgpu-flat-work-group-size"="64,64" "uniform-work-group-size"="true" }
attributes #1 = { nounwind "amdgpu-flat-work-group-size"="60,60" }
attributes #2 = { nounwind "uniform-work-group-size"="true" }
!llvm.module.flags = !{!0}
!0 = !{i32 1, !"amdhsa_code_object_version", i32 500}
