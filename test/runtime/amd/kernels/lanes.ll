; Values that move between the lanes of a wave. Every kernel: y[t] = f(x, t), one workgroup of 64.

define i32 @load(ptr addrspace(1) %x) alwaysinline {
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %i = zext i32 %t to i64
  %p = getelementptr i32, ptr addrspace(1) %x, i64 %i
  %v = load i32, ptr addrspace(1) %p
  ret i32 %v
}

define void @store(ptr addrspace(1) %y, i32 %v) alwaysinline {
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %i = zext i32 %t to i64
  %p = getelementptr i32, ptr addrspace(1) %y, i64 %i
  store i32 %v, ptr addrspace(1) %p
  ret void
}

define i32 @lane() alwaysinline {
  %low = call i32 @llvm.amdgcn.mbcnt.lo(i32 -1, i32 0)
  %lane = call i32 @llvm.amdgcn.mbcnt.hi(i32 -1, i32 %low)
  ret i32 %lane
}

define amdgpu_kernel void @lane_number(ptr addrspace(1) %x, ptr addrspace(1) %y) #0 {
  %l = call i32 @lane()
  call void @store(ptr addrspace(1) %y, i32 %l)
  ret void
}

; lane 7's value plus three times the first lane's
define amdgpu_kernel void @read_lane(ptr addrspace(1) %x, ptr addrspace(1) %y) #0 {
  %v = call i32 @load(ptr addrspace(1) %x)
  %a = call i32 @llvm.amdgcn.readlane.i32(i32 %v, i32 7)
  %b = call i32 @llvm.amdgcn.readfirstlane.i32(i32 %v)
  %b3 = mul i32 %b, 3
  %r = add i32 %a, %b3
  call void @store(ptr addrspace(1) %y, i32 %r)
  ret void
}

; x, but 1234 in lane 5
define amdgpu_kernel void @write_lane(ptr addrspace(1) %x, ptr addrspace(1) %y) #0 {
  %v = call i32 @load(ptr addrspace(1) %x)
  %r = call i32 @llvm.amdgcn.writelane.i32(i32 1234, i32 5, i32 %v)
  call void @store(ptr addrspace(1) %y, i32 %r)
  ret void
}

; low 32 lanes with a positive value
define amdgpu_kernel void @ballot(ptr addrspace(1) %x, ptr addrspace(1) %y) #0 {
  %v = call i32 @load(ptr addrspace(1) %x)
  %positive = icmp sgt i32 %v, 0
  %mask = call i64 @llvm.amdgcn.ballot.i64(i1 %positive)
  %r = trunc i64 %mask to i32
  call void @store(ptr addrspace(1) %y, i32 %r)
  ret void
}

; pull from lane ^ 5
define amdgpu_kernel void @pull(ptr addrspace(1) %x, ptr addrspace(1) %y) #0 {
  %v = call i32 @load(ptr addrspace(1) %x)
  %l = call i32 @lane()
  %o = xor i32 %l, 5
  %a = shl i32 %o, 2
  %r = call i32 @llvm.amdgcn.ds.bpermute(i32 %a, i32 %v)
  call void @store(ptr addrspace(1) %y, i32 %r)
  ret void
}

; push to lane ^ 9
define amdgpu_kernel void @push(ptr addrspace(1) %x, ptr addrspace(1) %y) #0 {
  %v = call i32 @load(ptr addrspace(1) %x)
  %l = call i32 @lane()
  %o = xor i32 %l, 9
  %a = shl i32 %o, 2
  %r = call i32 @llvm.amdgcn.ds.permute(i32 %a, i32 %v)
  call void @store(ptr addrspace(1) %y, i32 %r)
  ret void
}

; swizzles: lane ^ 16, plus 3 times the quad permuted by 2, 0, 3, 1
define amdgpu_kernel void @swizzles(ptr addrspace(1) %x, ptr addrspace(1) %y) #0 {
  %v = call i32 @load(ptr addrspace(1) %x)
  %a = call i32 @llvm.amdgcn.ds.swizzle(i32 %v, i32 16415)
  %b = call i32 @llvm.amdgcn.ds.swizzle(i32 %v, i32 32882)
  %b3 = mul i32 %b, 3
  %r = add i32 %a, %b3
  call void @store(ptr addrspace(1) %y, i32 %r)
  ret void
}

; pulls from lane ^ 1 with only the even lanes active: an inactive source gives 0
define amdgpu_kernel void @pull_inactive(ptr addrspace(1) %x, ptr addrspace(1) %y) #0 {
entry:
  %v = call i32 @load(ptr addrspace(1) %x)
  %l = call i32 @lane()
  %o = xor i32 %l, 1
  %a = shl i32 %o, 2
  %bit = and i32 %l, 1
  %even = icmp eq i32 %bit, 0
  br i1 %even, label %exchange, label %done
exchange:
  %r = call i32 @llvm.amdgcn.ds.bpermute(i32 %a, i32 %v)
  call void @store(ptr addrspace(1) %y, i32 %r)
  br label %done
done:
  ret void
}

attributes #0 = { nounwind convergent "amdgpu-flat-work-group-size"="64,64" }
