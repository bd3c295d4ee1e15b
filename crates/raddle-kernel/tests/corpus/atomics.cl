// Kernels that talk to somebody else.

// expect: not
// truth: not
// why: counts in global memory grow with each run
// args: i32[64] i32[8]
__kernel void histogram(__global const int *a, __global int *h) {
  atomic_inc(&h[a[get_global_id(0)] & 7]);
}

// expect: not
// truth: not
// why: a sum in global memory
// args: i32[64] i32[1]
__kernel void global_sum(__global const int *a, __global int *sum) {
  atomic_add(sum, a[get_global_id(0)]);
}

// expect: not
// truth: idempotent
// why: a maximum stays what it is, but atomic operations on global memory are never judged so
// args: i32[64] i32[1]
__kernel void global_max(__global const int *a, __global int *most) {
  atomic_max(most, a[get_global_id(0)]);
}

// expect: not
// truth: not
// why: values change places
// args: i32[64] i32[64]
__kernel void exchange(__global int *a, __global int *b) {
  int i = (int)get_global_id(0);
  a[i] = atomic_xchg(&b[i], a[i]);
}

// expect: not
// truth: idempotent
// why: somebody else may write to volatile memory
// args: i32[64]
__kernel void is_volatile(__global volatile int *a) {
  a[get_global_id(0)] = 1;
}

// expect: not
// truth: skip
// why: it would print twice
// args: i32[64]
__kernel void prints(__global int *a) {
  printf("%d\n", a[get_global_id(0)]);
}
