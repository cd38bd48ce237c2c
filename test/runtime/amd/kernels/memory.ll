; Loads, stores and atomics of every size and memory.

@table = internal addrspace(4) constant [8 x i32] [i32 3, i32 1, i32 4, i32 1, i32 5, i32 9, i32 2, i32 6]
@shared = internal addrspace(3) global [256 x i32] poison, align 16
@counter = internal addrspace(3) global i32 poison, align 4

; y = x in units of 16 bytes
define amdgpu_kernel void @copy_b128(ptr addrspace(1) %x, ptr addrspace(1) %y) #0 {
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %i = zext i32 %t to i64
  %px = getelementptr <4 x i32>, ptr addrspace(1) %x, i64 %i
  %py = getelementptr <4 x i32>, ptr addrspace(1) %y, i64 %i
  %v = load <4 x i32>, ptr addrspace(1) %px
  store <4 x i32> %v, ptr addrspace(1) %py
  ret void
}

; y[t] = table[x[t] & 7]
define amdgpu_kernel void @constant_table(ptr addrspace(1) %x, ptr addrspace(1) %y) #0 {
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %i = zext i32 %t to i64
  %px = getelementptr i32, ptr addrspace(1) %x, i64 %i
  %py = getelementptr i32, ptr addrspace(1) %y, i64 %i
  %v = load i32, ptr addrspace(1) %px
  %k = and i32 %v, 7
  %k64 = zext i32 %k to i64
  %pt = getelementptr i32, ptr addrspace(4) @table, i64 %k64
  %r = load i32, ptr addrspace(4) %pt
  store i32 %r, ptr addrspace(1) %py
  ret void
}

; y[t] = x[(63 - t) * 4 ... + 3] through LDS, 16 bytes at a time
define amdgpu_kernel void @reverse_lds(ptr addrspace(1) %x, ptr addrspace(1) %y) #0 {
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %i = zext i32 %t to i64
  %px = getelementptr <4 x i32>, ptr addrspace(1) %x, i64 %i
  %py = getelementptr <4 x i32>, ptr addrspace(1) %y, i64 %i
  %v = load <4 x i32>, ptr addrspace(1) %px
  %to = getelementptr <4 x i32>, ptr addrspace(3) @shared, i32 %t
  store <4 x i32> %v, ptr addrspace(3) %to, align 16
  fence syncscope("workgroup") release
  call void @llvm.amdgcn.s.barrier()
  fence syncscope("workgroup") acquire
  %other = sub i32 63, %t
  %from = getelementptr <4 x i32>, ptr addrspace(3) @shared, i32 %other
  %r = load <4 x i32>, ptr addrspace(3) %from, align 16
  store <4 x i32> %r, ptr addrspace(1) %py
  ret void
}

; y[t] = x[t ^ 1] in i16 through LDS by flat pointers
define amdgpu_kernel void @flat_lds(ptr addrspace(1) %x, ptr addrspace(1) %y) #0 {
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %i = zext i32 %t to i64
  %base = addrspacecast ptr addrspace(3) @shared to ptr
  %hidden = call ptr @hide(ptr %base)
  %px = getelementptr i16, ptr addrspace(1) %x, i64 %i
  %v = load i16, ptr addrspace(1) %px
  %to = getelementptr i16, ptr %hidden, i64 %i
  store i16 %v, ptr %to
  %j = xor i64 %i, 1
  %from = getelementptr i16, ptr %hidden, i64 %j
  %r = load i16, ptr %from
  %py = getelementptr i16, ptr addrspace(1) %y, i64 %i
  store i16 %r, ptr addrspace(1) %py
  ret void
}

define ptr @hide(ptr %p) noinline optnone {
  ret ptr %p
}

; y[t] = sum over j < 8 of j * x[(t + perm(j)) & 63], through a private array indexed at run time
define amdgpu_kernel void @scratch_array(ptr addrspace(1) %x, ptr addrspace(1) %y) #0 {
entry:
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %a = alloca [8 x i32], addrspace(5)
  br label %fill
fill:
  %j = phi i32 [ 0, %entry ], [ %j1, %fill ]
  %s = add i32 %t, %j
  %m = and i32 %s, 63
  %m64 = zext i32 %m to i64
  %px = getelementptr i32, ptr addrspace(1) %x, i64 %m64
  %v = load i32, ptr addrspace(1) %px
  %pa = getelementptr [8 x i32], ptr addrspace(5) %a, i32 0, i32 %j
  store volatile i32 %v, ptr addrspace(5) %pa
  %j1 = add i32 %j, 1
  %more = icmp ult i32 %j1, 8
  br i1 %more, label %fill, label %sum
sum:
  %k = phi i32 [ 0, %fill ], [ %k1, %sum ]
  %acc = phi i32 [ 0, %fill ], [ %acc1, %sum ]
  %k3 = mul i32 %k, 3
  %k3t = add i32 %k3, %t
  %slot = and i32 %k3t, 7
  %pb = getelementptr [8 x i32], ptr addrspace(5) %a, i32 0, i32 %slot
  %w = load volatile i32, ptr addrspace(5) %pb
  %scaled = mul i32 %w, %k
  %acc1 = add i32 %acc, %scaled
  %k1 = add i32 %k, 1
  %again = icmp ult i32 %k1, 8
  br i1 %again, label %sum, label %done
done:
  %i = zext i32 %t to i64
  %py = getelementptr i32, ptr addrspace(1) %y, i64 %i
  store i32 %acc1, ptr addrspace(1) %py
  ret void
}

; y[4 t ...] = x[4 t ...] where inside a buffer of %bytes bytes, else 0; then x2[t] = t stored through the same limit
define amdgpu_kernel void @buffer(ptr addrspace(1) %x, ptr addrspace(1) %y, ptr addrspace(1) %z, i64 %bytes, i32 %flags) #0 {
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %i = zext i32 %t to i64
  %rx = call ptr addrspace(8) @llvm.amdgcn.make.buffer.rsrc.p8.p1(ptr addrspace(1) %x, i16 0, i64 %bytes, i32 %flags)
  %rz = call ptr addrspace(8) @llvm.amdgcn.make.buffer.rsrc.p8.p1(ptr addrspace(1) %z, i16 0, i64 %bytes, i32 %flags)
  %offset = shl i32 %t, 4
  %v = call <4 x i32> @llvm.amdgcn.raw.ptr.buffer.load.v4i32(ptr addrspace(8) %rx, i32 %offset, i32 0, i32 0)
  %py = getelementptr <4 x i32>, ptr addrspace(1) %y, i64 %i
  store <4 x i32> %v, ptr addrspace(1) %py
  %word = shl i32 %t, 2
  call void @llvm.amdgcn.raw.ptr.buffer.store.i32(i32 %t, ptr addrspace(8) %rz, i32 %word, i32 0, i32 0)
  ret void
}

; y[0] += 3 per thread; y[1] = max of x; y[2] ^= x; old value of an exchange chain in z
define amdgpu_kernel void @global_atomics(ptr addrspace(1) %x, ptr addrspace(1) %y, ptr addrspace(1) %z) #0 {
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %i = zext i32 %t to i64
  %px = getelementptr i32, ptr addrspace(1) %x, i64 %i
  %v = load i32, ptr addrspace(1) %px
  %p1 = getelementptr i32, ptr addrspace(1) %y, i64 1
  %p2 = getelementptr i32, ptr addrspace(1) %y, i64 2
  %p3 = getelementptr i32, ptr addrspace(1) %y, i64 3
  %p4 = getelementptr i32, ptr addrspace(1) %y, i64 4
  %a = atomicrmw add ptr addrspace(1) %y, i32 3 syncscope("agent") monotonic
  %b = atomicrmw max ptr addrspace(1) %p1, i32 %v syncscope("agent") monotonic
  %c = atomicrmw xor ptr addrspace(1) %p2, i32 %v syncscope("agent") monotonic
  %d = atomicrmw umin ptr addrspace(1) %p3, i32 %v syncscope("agent") monotonic
  %old = atomicrmw xchg ptr addrspace(1) %p4, i32 %t syncscope("agent") monotonic
  %pz = getelementptr i32, ptr addrspace(1) %z, i64 %i
  store i32 %old, ptr addrspace(1) %pz
  ret void
}

; y[t] = t + 100 where y[t] was t; z[t] = what y[t] was
define amdgpu_kernel void @compare_and_swap(ptr addrspace(1) %y, ptr addrspace(1) %z) #0 {
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %i = zext i32 %t to i64
  %p = getelementptr i32, ptr addrspace(1) %y, i64 %i
  %new = add i32 %t, 100
  %pair = cmpxchg ptr addrspace(1) %p, i32 %t, i32 %new syncscope("agent") monotonic monotonic
  %old = extractvalue { i32, i1 } %pair, 0
  %q = getelementptr i32, ptr addrspace(1) %z, i64 %i
  store i32 %old, ptr addrspace(1) %q
  ret void
}

; y[0] = sum of x in f32, by atomics
define amdgpu_kernel void @float_atomics(ptr addrspace(1) %x, ptr addrspace(1) %y) #0 {
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %i = zext i32 %t to i64
  %px = getelementptr float, ptr addrspace(1) %x, i64 %i
  %v = load float, ptr addrspace(1) %px
  %a = atomicrmw fadd ptr addrspace(1) %y, float %v syncscope("agent") monotonic, !amdgpu.no.fine.grained.memory !0, !amdgpu.no.remote.memory !0
  ret void
}

; y[t] = sum of x over the workgroup, by atomics in LDS
define amdgpu_kernel void @lds_atomics(ptr addrspace(1) %x, ptr addrspace(1) %y) #0 {
entry:
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %first = icmp eq i32 %t, 0
  br i1 %first, label %clear, label %ready
clear:
  store i32 0, ptr addrspace(3) @counter
  br label %ready
ready:
  fence syncscope("workgroup") release
  call void @llvm.amdgcn.s.barrier()
  fence syncscope("workgroup") acquire
  %i = zext i32 %t to i64
  %px = getelementptr i32, ptr addrspace(1) %x, i64 %i
  %v = load i32, ptr addrspace(1) %px
  %old = atomicrmw add ptr addrspace(3) @counter, i32 %v syncscope("workgroup") monotonic
  fence syncscope("workgroup") release
  call void @llvm.amdgcn.s.barrier()
  fence syncscope("workgroup") acquire
  %sum = load i32, ptr addrspace(3) @counter
  %py = getelementptr i32, ptr addrspace(1) %y, i64 %i
  store i32 %sum, ptr addrspace(1) %py
  ret void
}

; y[t] = reversed i8 and i16 elements, with sign and zero extension: z[t] = sext(x8[63 - t]) + zext(x16[63 - t])
define amdgpu_kernel void @narrow(ptr addrspace(1) %x8, ptr addrspace(1) %x16, ptr addrspace(1) %y8, ptr addrspace(1) %y16, ptr addrspace(1) %z) #0 {
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %i = zext i32 %t to i64
  %j = sub i64 63, %i
  %p8 = getelementptr i8, ptr addrspace(1) %x8, i64 %j
  %p16 = getelementptr i16, ptr addrspace(1) %x16, i64 %j
  %v8 = load i8, ptr addrspace(1) %p8
  %v16 = load i16, ptr addrspace(1) %p16
  %q8 = getelementptr i8, ptr addrspace(1) %y8, i64 %i
  %q16 = getelementptr i16, ptr addrspace(1) %y16, i64 %i
  store i8 %v8, ptr addrspace(1) %q8
  store i16 %v16, ptr addrspace(1) %q16
  %a = sext i8 %v8 to i32
  %b = zext i16 %v16 to i32
  %s = add i32 %a, %b
  %pz = getelementptr i32, ptr addrspace(1) %z, i64 %i
  store i32 %s, ptr addrspace(1) %pz
  ret void
}

attributes #0 = { nounwind "amdgpu-flat-work-group-size"="64,64" }
!0 = !{}
