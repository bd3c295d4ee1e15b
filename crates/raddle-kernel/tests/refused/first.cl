// One kernel for each construct that is refused; the line that decides says what is expected.

__kernel void global_atomic(__global int *c) {
  atomic_add(c, 1); // REFUSED not: an atomic operation on global memory
}

__kernel void ordered_atomic(__global int *c, __local int *s) {
  int i = (int)get_global_id(0);
  c[i] = atomic_add(s, 1); // REFUSED unknown: an atomic operation on local memory whose result depends on the order
}

__kernel void volatile_read(volatile __global int *flag, __global int *c) {
  c[get_global_id(0)] = *flag; // REFUSED not: a volatile access
}

__kernel void volatile_write(volatile __global int *c) {
  c[get_global_id(0)] = 1; // REFUSED not: a volatile access
}

__kernel void prints(__global int *c) {
  printf("%d\n", 1); // REFUSED not: it prints
}

int elsewhere(int n);

__kernel void calls(__global int *c) {
  c[get_global_id(0)] = elsewhere(3); // REFUSED unknown: it calls `elsewhere`, whose code is not there
}

int rounds(int n) {
  if (n < 2) { return n; }
  return rounds(n - 1) + n; // REFUSED unknown: `rounds` calls itself
}

__kernel void recursion(__global int *c) {
  c[get_global_id(0)] = rounds(3);
}

__kernel void in_place(__global int *c) {
  c[get_global_id(0)] += 1; // REFUSED not: `c` is read, changed and overwritten in place
}

__kernel void guarded(__global int *a) {
  int i = (int)get_global_id(0);
  if (a[i]) {
    a[i] = 5; // REFUSED unknown: `a` is read and overwritten at places that cannot be told apart
  }
}

__kernel void other_places(__global int *a, int n) {
  int i = (int)get_global_id(0);
  a[i] = a[i ^ n]; // REFUSED unknown: `a` is read and overwritten at places that cannot be told apart
}

struct link {
  __global int *to;
};

__kernel void pointer_from_memory(__global struct link *list) {
  *list[get_global_id(0)].to = 1; // REFUSED unknown: an access through a pointer from memory or from a number
}

__kernel void pointer_from_a_number(ulong at) {
  *(__global int *)at = 1; // REFUSED unknown: an access through a pointer from memory or from a number
}

__kernel void jumps_into_a_loop(__global int *c, int n) {
  int i = 0;
  if (n > 3) { goto inside; }
again:
  c[i] = i;
inside:
  i++; // REFUSED unknown: a jump into a loop
  if (i < n) { goto again; }
}

__kernel void three_lanes(__global float3 *c, __global float4 *d) {
  int i = (int)get_global_id(0);
  __global float4 *e = (__global float4 *)c;
  c[i] = (float3)(1, 2, 3);
  e[i].w += 1; // REFUSED not: `c` is read, changed and overwritten in place
}

#pragma OPENCL EXTENSION cl_intel_subgroups : enable
uint __attribute__((overloadable)) intel_sub_group_block_read(const __global uint *from);

__kernel void block_read(__global uint *c, __global const uint *a) {
  c[get_global_id(0)] = intel_sub_group_block_read(a); // REFUSED unknown: the instruction `OpSubgroupBlockReadINTEL` is not known
}

__kernel void one_way(__global int *c, int n) {
  int i = (int)get_global_id(0);
  if (n > 3) { c[i] = 0; }
  c[i] += 1; // REFUSED not: `c` is read, changed and overwritten in place
}

__kernel void other_bound(__global int *t, __global int *c, int n, int m) {
  int sum = 0;
  int g = (int)get_global_id(0) * n;
  for (int k = 0; k < n; k++) {
    t[g + k] = k; // REFUSED unknown: `t` is read and overwritten at places that cannot be told apart
  }
  for (int k = 0; k < m; k++) { sum += t[g + k]; }
  c[get_global_id(0)] = sum;
}

__kernel void leaves_out(__global int *t, __global int *c, __global const int *x, int n) {
  int sum = 0;
  int g = (int)get_global_id(0) * n;
  for (int k = 0; k < n; k++) {
    if (x[k]) { continue; }
    t[g + k] = k; // REFUSED unknown: `t` is read and overwritten at places that cannot be told apart
  }
  for (int k = 0; k < n; k++) { sum += t[g + k]; }
  c[get_global_id(0)] = sum;
}

__kernel void copied_first(__global int *c, __local int *s) {
  event_t copied = async_work_group_copy(c, s, 8, 0);
  wait_group_events(1, &copied);
  c[get_global_id(0)] += 1; // REFUSED not: `c` is read, changed and overwritten in place
}

__kernel void guard_behind_a_barrier(__global int *todo, __global int *c, __local int *s) {
  int i = (int)get_global_id(0);
  s[get_local_id(0)] = todo[i];
  barrier(CLK_LOCAL_MEM_FENCE);
  if (todo[i]) {
    c[i] = s[0];
    todo[i] = 0; // REFUSED unknown: `todo` is read and overwritten at places that cannot be told apart
  }
}
