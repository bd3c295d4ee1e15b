// Kernels that change what they have read.

// expect: not
// truth: not
// why: y is read and overwritten
// args: f32[64] f32[64]
__kernel void axpy(__global const float *x, __global float *y) {
  int i = (int)get_global_id(0);
  y[i] += 3 * x[i];
}

// expect: not
// truth: not
// why: each value is doubled where it lies
// args: f32[64]
__kernel void twice(__global float *a) {
  a[get_global_id(0)] *= 2;
}

// expect: not
// truth: not
// why: on one way nothing is written before the read
// args: f32[64] f32[64] i32=3
__kernel void one_way(__global const float *a, __global float *c, int n) {
  int i = (int)get_global_id(0);
  if (i % 8 < n) {
    c[i] = 0;
  }
  c[i] += a[i];
}

// expect: unknown
// truth: not
// why: two values change places
// args: i32[128]
__kernel void swap(__global int *a) {
  int i = (int)get_global_id(0) * 2;
  int first = a[i];
  int second = a[i + 1];
  a[i] = second;
  a[i + 1] = first;
}

// expect: not
// truth: not
// why: the lower neighbour is overwritten by another work-item's index
// args: f32[128]
__kernel void shifted(__global float *a) {
  int i = (int)get_global_id(0) * 2;
  float x = a[i];
  a[i + 1] = x + a[i + 1];
  a[i] = a[i + 1];
}

// expect: not
// truth: not
// why: the count in global memory grows with each run
// args: i32[64]
__kernel void counter(__global int *n) {
  n[get_global_id(0)]++;
}

// expect: not
// truth: not
// why: a scan in place
// args: i32[64]
// size: 8 4
__kernel void scan_row(__global int *a) {
  int i = (int)get_global_id(0);
  for (int k = 1; k < 8; k++) {
    a[i * 8 + k] = a[i * 8 + k] + a[i * 8 + k - 1];
  }
}

// expect: not
// truth: not
// why: one lane is read and changed
// args: f32[256]
__kernel void lane_in_place(__global float4 *v) {
  v[get_global_id(0)].y += 1;
}

void bump(__global float *p) {
  *p = *p + 1;
}

// expect: not
// truth: not
// why: the function that is called changes in place
// args: f32[64]
__kernel void by_call(__global float *a) {
  bump(a + get_global_id(0));
}

// expect: not
// truth: not
// why: the loop that writes may run no time
// args: i32[64] i32=0
__kernel void maybe_loop(__global int *c, int n) {
  int i = (int)get_global_id(0);
  for (int k = 0; k < n; k++) {
    c[i] = k;
  }
  c[i] += 2;
}

// expect: not
// truth: not
// why: the store is narrower than the load behind it
// args: i32[64]
__kernel void narrow(__global int *c) {
  int i = (int)get_global_id(0);
  *(__global char *)(c + i) = 1;
  c[i] = c[i] * 3;
}

// expect: not
// truth: not
// why: an LU step reads and writes the matrix
// args: f32[64]
// size: 8 4
__kernel void lu_step(__global float *a) {
  int i = (int)get_global_id(0);
  for (int j = 1; j < 8; j++) {
    a[i * 8 + j] = a[i * 8 + j] - a[i * 8] * 0.5f;
  }
}

// expect: conditional 0-1
// truth: idempotent
// why: the guard is cleared last, so a work-item has done all or finds it as it was
// args: i32<2>[64] i32[64]
__kernel void guard_last(__global int *todo, __global int *done) {
  int i = (int)get_global_id(0);
  if (todo[i]) {
    done[i] = 1;
    todo[i] = 0;
  }
}

// expect: conditional 0-1 0-2 1-2
// truth: idempotent
// why: the guard is a number that the work-item changes last to one that keeps it out
// args: i32<3>[64] i32[64] i32[64]
__kernel void guard_number(__global uchar *state, __global int *done, __global int *from) {
  int i = (int)get_global_id(0);
  if (i < 60 && state[i] == 1) {
    done[i] = from[i] + state[i];
    state[i] = 2;
  }
}

// expect: unknown
// truth: not
// why: what is written last keeps nobody out
// args: i32<9>[64] i32[64]
__kernel void guard_stays_on(__global int *todo, __global int *done) {
  int i = (int)get_global_id(0);
  if (todo[i] != 3) {
    done[i] = todo[i];
    todo[i] = 2;
  }
}

// expect: unknown
// truth: not
// why: two work-items share a guard
// args: i32<2>[64] i32[64]
__kernel void guard_of_two(__global int *todo, __global int *done) {
  int i = (int)get_global_id(0);
  if (todo[i / 2]) {
    done[i] = 1;
    todo[i / 2] = 0;
  }
}

// expect: unknown
// truth: skip
// why: each workgroup has the same guards; not run, as work-items race for it
// args: i32<2>[64] i32[64]
__kernel void guard_of_groups(__global int *todo, __global int *done) {
  int i = (int)get_local_id(0);
  if (todo[i]) {
    done[get_global_id(0)] = 1;
    todo[i] = 0;
  }
}

// expect: unknown
// truth: skip
// why: in two dimensions all work-items of a column share a guard
// args: i32<2>[64] i32[64]
__kernel void guard_of_column(__global int *todo, __global int *done) {
  int i = (int)get_global_id(0);
  if (todo[i]) {
    done[i * 8 + get_global_id(1)] = 1;
    todo[i] = 0;
  }
}

// expect: conditional 2=0
// truth: not
// why: the guard is cleared before a write in another block, but for the numbers below that of that block
// args: i32<2>[64] i32[64] i32=3
__kernel void guard_early(__global int *todo, __global int *done, int n) {
  int i = (int)get_global_id(0);
  if (todo[i]) {
    todo[i] = 0;
    if (n > 2) {
      done[i] = 1;
    }
  }
}

// expect: unknown
// truth: skip
// why: all work-items share one guard, which the first one clears in the order in which they run here
// args: i32[1] i32[64]
__kernel void guard_of_all(__global int *todo, __global int *done) {
  if (todo[0] != 5) {
    done[get_global_id(0)] = 1;
    todo[0] = 5;
  }
}

// expect: unknown
// truth: skip
// why: work-items that are done do not write again what others write over; not run, as work-items race for it
// args: i32<2>[64] i32[64]
__kernel void guard_shared_sum(__global int *todo, __global int *done) {
  int i = (int)get_global_id(0);
  if (todo[i]) {
    done[0] = i;
    todo[i] = 0;
  }
}

// expect: unknown
// truth: skip
// why: each work-item writes into the stretch of the next one; not run, as work-items race for it
// args: i32<2>[64] i32[128]
__kernel void guard_overlap(__global int *todo, __global int *done) {
  size_t i = get_global_id(0);
  if (todo[i]) {
    done[i] = 1;
    done[i + 1] = 2;
    todo[i] = 0;
  }
}

// expect: conditional 0-1 0-2 0-3 1-2 1-3 2-3
// truth: idempotent
// why: stretches of work-items lie apart, and one number is written by all; who is done does not write again
// args: i32<2>[64] i32[128] i32[1] i32[64]
__kernel void guard_of_search(__global int *todo, __global int *done, __global int *over, __global int *seen) {
  size_t i = get_global_id(0);
  if (i < 60 && todo[i] == 1) {
    done[2 * i] = 1;
    done[2 * i + 1] = 2;
    seen[i] = 1;
    *over = 1;
    todo[i] = 0;
  }
}

// expect: unknown
// truth: skip
// why: the guard of the next work-item is read too; not run, as work-items race for it
// args: i32<2>[128] i32[64]
__kernel void guard_of_the_next(__global int *todo, __global int *done) {
  int i = (int)get_global_id(0);
  if (todo[i]) {
    done[i] = todo[i + 1];
    todo[i] = 0;
  }
}

// expect: unknown
// truth: skip
// why: eight bits of its number are shared by many work-items; not run, as work-items race for it
// args: i32<2>[256] i32[512]
// size: 512 8
__kernel void guard_narrow(__global int *todo, __global int *done) {
  uchar i = (uchar)get_global_id(0);
  if (todo[i]) {
    done[get_global_id(0)] = 1;
    todo[i] = 0;
  }
}

// expect: unknown
// truth: skip
// why: the guard of a byte is read with its neighbours; not run, as work-items race for it
// args: i32<2>[64] i32[64]
__kernel void guard_wide(__global uchar *todo, __global int *done) {
  int i = (int)get_global_id(0);
  if (*(__global uint *)(todo + i)) {
    done[i] = 1;
    todo[i] = 0;
  }
}

// expect: unknown
// truth: not
// why: something is written outside of what the guard keeps out
// args: i32<2>[64] i32[64]
__kernel void guard_and_more(__global int *todo, __global int *done) {
  int i = (int)get_global_id(0);
  done[i] = todo[i];
  if (todo[i]) {
    todo[i] = 0;
  }
}

// expect: unknown
// truth: skip
// why: another work-item reads the guard before a barrier and needs it behind
// args: i32<2>[64] i32[64]
__kernel void guard_meets(__global int *todo, __global int *done) {
  __local int seen[8];
  int l = (int)get_local_id(0);
  int i = (int)get_global_id(0);
  seen[l] = todo[i];
  barrier(CLK_LOCAL_MEM_FENCE);
  if (todo[i]) {
    done[i] = seen[7 - l];
    todo[i] = 0;
  }
}

// expect: unknown
// truth: not
// why: the guard is cleared first
// args: i32[64] i32[64]
__kernel void guard_first(__global int *todo, __global int *done) {
  int i = (int)get_global_id(0);
  if (todo[i]) {
    todo[i] = 0;
    done[i] = 1;
  }
}

// expect: unknown
// truth: not
// why: a built-in function writes what was read, through a pointer
// args: f32[64] f32[64]
__kernel void by_built_in(__global float *whole, __global float *part) {
  int i = (int)get_global_id(0);
  part[i] = modf(whole[i] * 3, &whole[i]);
}
