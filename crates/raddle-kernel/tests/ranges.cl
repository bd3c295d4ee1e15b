// Kernels that may be cut into ranges of workgroups, or not.

// RANGES plain
__kernel void by_item(__global int *c, __global const int *a) {
  c[get_global_id(0)] += a[get_global_id(0)];
}

// RANGES plain
__kernel void counted(__global float *c, __global const float *a, int n) {
  float sum = 0;
  for (int k = 0; k < n; k++) { sum += a[get_global_id(0) * n + k]; }
  for (int k = n - 1; k >= 0; k -= 2) { c[k] += sum; }
  c[get_global_id(0)] = sum;
}

// RANGES plain
__kernel void rows(__global float *c, __global const int *begin, __global const float *a) {
  size_t i = get_global_id(0);
  for (int k = begin[i]; k < begin[i + 1]; k++) { c[i] += a[k]; }
}

// RANGES plain
__kernel void sums(__global int *all, __global const int *a) {
  atomic_add(all, a[get_global_id(0)]);
}

// RANGES plain
__kernel void histogram(__global int *bins, __global const int *a, int n) {
  for (int k = 0; k < n; k++) { atomic_inc(&bins[a[k] & 255]); }
}

// RANGES plain
__kernel void meets(__global float *c, __local float *s) {
  int l = (int)get_local_id(0);
  s[l] = c[get_global_id(0)];
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int d = (int)get_local_size(0) / 2; d > 0; d /= 2) {
    if (l < d) { s[l] += s[l + d]; }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  c[get_global_id(0)] = s[0];
}

// RANGES plain
__kernel void iterates(__global float *c, __global const float *a) {
  float x = a[get_global_id(0)];
  while (x > 1.0f) { x = x * 0.5f; }
  c[get_global_id(0)] = x;
}

// RANGES told
__kernel void by_group(__global int *c) {
  c[get_group_id(0)] = 1;
}

// RANGES told
__kernel void strides(__global int *c, int n) {
  for (size_t i = get_global_id(0); i < n; i += get_global_size(0)) { c[i] += 1; }
}

// RANGES told
__kernel void from_begin(__global int *c) {
  c[get_global_id(0) - get_global_offset(0)] = (int)get_num_groups(1);
}

// RANGES never
__kernel void waits_for_a_flag(__global int *flags, __global int *c) {
  size_t g = get_global_id(0);
  while (atomic_add(&flags[g - 1], 0) == 0) { }
  c[g] = c[g - 1] + 1;
  atomic_xchg(&flags[g], 1);
}

// RANGES never
__kernel void waits_for_all(volatile __global int *count, __global int *c, int n) {
  atomic_inc(count);
  while (*count < n) { }
  c[get_global_id(0)] = 1;
}

// RANGES never
__kernel void waits_plainly(__global int *done, __global int *c) {
  done[get_global_id(0)] = 1;
  while (done[get_global_id(0) + 1] == 0) { mem_fence(CLK_GLOBAL_MEM_FENCE); }
  c[get_global_id(0)] = 1;
}

// RANGES never
__kernel void lock(__global int *lock, __global float *c) {
  while (atomic_cmpxchg(lock, 0, 1) != 0) { }
  c[0] += 1.0f;
  atomic_xchg(lock, 0);
}

// RANGES never
__kernel void adds_floats(volatile __global float *all, __global const float *a) {
  union { unsigned u; float f; } before, after;
  do {
    before.f = *all;
    after.f = before.f + a[get_global_id(0)];
  } while (atomic_cmpxchg((volatile __global unsigned *)all, before.u, after.u) != before.u);
}

// RANGES never
__kernel void waits_in_a_count(__global int *flags, __global int *c, int n) {
  for (int k = 0; k < n; k++) {
    while (atomic_add(&flags[k], 0) == 0) { }
    c[k] = 1;
  }
}
