// Kernels whose work-items meet at barriers.

// expect: conditional 0-1
// truth: idempotent
// why: the reduction is in local memory
// args: f32[64] f32[8] local[32]
__kernel void reduce(__global const float *a, __global float *out, __local float *s) {
  int l = (int)get_local_id(0);
  s[l] = a[get_global_id(0)];
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int d = (int)get_local_size(0) / 2; d > 0; d /= 2) {
    if (l < d) {
      s[l] += s[l + d];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (l == 0) {
    out[get_group_id(0)] = s[0];
  }
}

// expect: conditional 0-1
// truth: idempotent
// why: the scan is in local memory
// args: i32[64] i32[64]
__kernel void scan(__global const int *a, __global int *out) {
  __local int s[8];
  int l = (int)get_local_id(0);
  s[l] = a[get_global_id(0)];
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int d = 1; d < 8; d *= 2) {
    int x = l >= d ? s[l - d] : 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    s[l] += x;
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  out[get_global_id(0)] = s[l];
}

// expect: conditional 0-2 1-2
// truth: idempotent
// why: tiles are in local memory
// args: f32[64] f32[64] f32[64]
__kernel void gemm_tiled(__global const float *a, __global const float *b, __global float *c) {
  __local float row[8];
  int i = (int)get_group_id(0);
  int j = (int)get_local_id(0);
  row[j] = a[i * 8 + j];
  barrier(CLK_LOCAL_MEM_FENCE);
  float sum = 0;
  for (int k = 0; k < 8; k++) {
    sum += row[k] * b[k * 8 + j];
  }
  c[i * 8 + j] = sum;
}

// expect: conditional 0-1
// truth: idempotent
// why: sums of integers in local memory do not depend on the order, and their results are not used
// args: i32[64] i32[64]
__kernel void local_histogram(__global const int *a, __global int *out) {
  __local int s[8];
  int l = (int)get_local_id(0);
  s[l] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  atomic_inc(&s[a[get_global_id(0)] & 7]);
  barrier(CLK_LOCAL_MEM_FENCE);
  out[get_global_id(0)] = s[l];
}

// expect: unknown
// truth: idempotent
// why: slots are given out in the order of work-items, which may differ from run to run
// args: i32[64] i32[64]
__kernel void local_slots(__global const int *a, __global int *out) {
  __local int next;
  if (get_local_id(0) == 0) {
    next = 0;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  int slot = atomic_inc(&next);
  out[get_group_id(0) * 8 + slot] = a[get_group_id(0)];
}

// expect: unknown
// truth: not
// why: the group reverses its part in place, by way of local memory
// args: i32[64]
__kernel void reverse_group(__global int *a) {
  __local int s[8];
  int l = (int)get_local_id(0);
  s[l] = a[get_global_id(0)];
  barrier(CLK_LOCAL_MEM_FENCE);
  a[get_global_id(0)] = s[7 - l] + s[l];
}

// expect: unknown
// truth: idempotent
// why: what other work-items of the group wrote before the barrier is not seen to cover
// args: f32[64] f32[64] f32[8]
__kernel void reduce_global(__global const float *a, __global float *t, __global float *out) {
  size_t i = get_global_id(0);
  t[i] = a[i] * a[i];
  barrier(CLK_GLOBAL_MEM_FENCE);
  if (get_local_id(0) == 0) {
    float sum = 0;
    for (int k = 0; k < 8; k++) {
      sum += t[i + k];
    }
    out[get_group_id(0)] = sum;
  }
}

// expect: conditional 0-1
// truth: idempotent
// why: the copy of the group reads one argument, and its work-items write another
// args: f32[64] f32[64] local[32]
__kernel void async_in(__global const float *a, __global float *b, __local float *s) {
  event_t e = async_work_group_copy(s, a + get_group_id(0) * 8, 8, 0);
  wait_group_events(1, &e);
  b[get_global_id(0)] = s[get_local_id(0)] * 2;
}

// expect: conditional 0-1
// truth: idempotent
// why: the copy of the group writes one argument, and its work-items read another
// args: f32[64] f32[64] local[32]
__kernel void async_out(__global const float *a, __global float *b, __local float *s) {
  s[get_local_id(0)] = a[get_global_id(0)] + 1;
  barrier(CLK_LOCAL_MEM_FENCE);
  event_t e = async_work_group_copy(b + get_group_id(0) * 8, s, 8, 0);
  wait_group_events(1, &e);
}
