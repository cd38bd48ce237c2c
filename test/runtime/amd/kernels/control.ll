; Control flow that lanes of a wave take differently.

; y[t] = the sum over j < x[t] & 31 of j * j where 3 divides j, xor j elsewhere
define amdgpu_kernel void @divergent_loop(ptr addrspace(1) %x, ptr addrspace(1) %y) #0 {
entry:
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %i = zext i32 %t to i64
  %px = getelementptr i32, ptr addrspace(1) %x, i64 %i
  %v = load i32, ptr addrspace(1) %px
  %n = and i32 %v, 31
  br label %head
head:
  %j = phi i32 [ 0, %entry ], [ %j1, %latch ]
  %s = phi i32 [ 0, %entry ], [ %s1, %latch ]
  %more = icmp ult i32 %j, %n
  br i1 %more, label %body, label %done
body:
  %m = urem i32 %j, 3
  %third = icmp eq i32 %m, 0
  br i1 %third, label %square, label %flip
square:
  %jj = mul i32 %j, %j
  %sq = add i32 %s, %jj
  br label %latch
flip:
  %sx = xor i32 %s, %j
  br label %latch
latch:
  %s1 = phi i32 [ %sq, %square ], [ %sx, %flip ]
  %j1 = add i32 %j, 1
  br label %head
done:
  %py = getelementptr i32, ptr addrspace(1) %y, i64 %i
  store i32 %s, ptr addrspace(1) %py
  ret void
}

; y[t] = triple(x[t]) + 1 through a call
define amdgpu_kernel void @call(ptr addrspace(1) %x, ptr addrspace(1) %y) #0 {
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %i = zext i32 %t to i64
  %px = getelementptr i32, ptr addrspace(1) %x, i64 %i
  %v = load i32, ptr addrspace(1) %px
  %r = call i32 @triple(i32 %v)
  %r1 = add i32 %r, 1
  %py = getelementptr i32, ptr addrspace(1) %y, i64 %i
  store i32 %r1, ptr addrspace(1) %py
  ret void
}

define i32 @triple(i32 %v) noinline optnone {
  %r = mul i32 %v, 3
  ret i32 %r
}

; y[t] = a scalar computed from uniform arguments in loops, shifts and 64-bit arithmetic
define amdgpu_kernel void @uniform(ptr addrspace(1) %y, i32 %n, i64 %a, i64 %b) #0 {
entry:
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  br label %head
head:
  %j = phi i32 [ 0, %entry ], [ %j1, %head ]
  %s = phi i64 [ %a, %entry ], [ %s3, %head ]
  %j64 = zext i32 %j to i64
  %product = mul i64 %s, %b
  %s1 = add i64 %product, %j64
  %low = and i64 %j64, 7
  %s2 = lshr i64 %s1, %low
  %odd = and i32 %j, 1
  %is.odd = icmp eq i32 %odd, 1
  %neg = sub i64 0, %s2
  %s3 = select i1 %is.odd, i64 %neg, i64 %s2
  %j1 = add i32 %j, 1
  %more = icmp slt i32 %j1, %n
  br i1 %more, label %head, label %done
done:
  %i = zext i32 %t to i64
  %py = getelementptr i64, ptr addrspace(1) %y, i64 %i
  store i64 %s3, ptr addrspace(1) %py
  ret void
}

attributes #0 = { nounwind "amdgpu-flat-work-group-size"="64,64" }
