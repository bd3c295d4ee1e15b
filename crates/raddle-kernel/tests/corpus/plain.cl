// Kernels that read some arguments and write others.

// expect: conditional 0-1
// truth: idempotent
// why: reads one argument and writes another
// args: f32[64] f32[64]
__kernel void copy(__global const float *a, __global float *b) {
  b[get_global_id(0)] = a[get_global_id(0)];
}

// expect: idempotent
// truth: idempotent
// why: reads nothing
// args: i32[64]
__kernel void fill(__global int *a) {
  a[get_global_id(0)] = 7;
}

// expect: idempotent
// truth: idempotent
// why: writes numbers of the work-item only
// args: i32[64]
__kernel void number(__global int *a) {
  size_t i = get_global_id(0);
  a[i] = (int)(get_local_id(0) * 100 + get_group_id(0));
}

// expect: conditional 0-2 1-2
// truth: idempotent
// why: inputs and output are different arguments
// args: f32[64] f32[64] f32[64] f32=2.5
__kernel void axpy_out(__global const float *x, __global const float *y, __global float *z, float a) {
  size_t i = get_global_id(0);
  z[i] = a * x[i] + y[i];
}

// expect: conditional 0-2 1-2
// truth: idempotent
// why: the sum is kept in a register
// args: f32[64] f32[64] f32[64] i32=8
__kernel void gemm_register(__global const float *a, __global const float *b, __global float *c, int n) {
  int i = (int)get_global_id(0) / n;
  int j = (int)get_global_id(0) % n;
  float sum = 0;
  for (int k = 0; k < n; k++) {
    sum += a[i * n + k] * b[k * n + j];
  }
  c[i * n + j] = sum;
}

// expect: conditional 0-1
// truth: idempotent
// why: neighbours are read from the other grid
// args: f32[64] f32[64]
__kernel void stencil(__global const float *a, __global float *b) {
  int i = (int)get_global_id(0);
  int n = (int)get_global_size(0);
  float left = a[max(i - 1, 0)];
  float right = a[min(i + 1, n - 1)];
  b[i] = 0.25f * left + 0.5f * a[i] + 0.25f * right;
}

// expect: conditional 0-1
// truth: idempotent
// why: a transpose writes another matrix
// args: f32[64] f32[64]
__kernel void transpose(__global const float *a, __global float *b) {
  int i = (int)get_global_id(0);
  b[(i % 8) * 8 + i / 8] = a[i];
}

// expect: conditional 0-1
// truth: idempotent
// why: a guard on the index alone
// args: f32[64] f32[64] i32=50
__kernel void guarded(__global const float *a, __global float *b, int n) {
  int i = (int)get_global_id(0);
  if (i >= n) {
    return;
  }
  b[i] = sqrt(fabs(a[i]));
}

// expect: conditional 0-1 0-2
// truth: idempotent
// why: two outputs, one input
// args: f32[64] f32[64] f32[64]
__kernel void split(__global const float *a, __global float *whole, __global float *part) {
  int i = (int)get_global_id(0);
  float w;
  part[i] = modf(a[i] * 10, &w);
  whole[i] = w;
}

// expect: conditional 0-2 1-2
// truth: idempotent
// why: an index read from memory chooses what is read
// args: i32<64>[64] f32[64] f32[64]
__kernel void gather(__global const int *index, __global const float *v, __global float *out) {
  int i = (int)get_global_id(0);
  out[i] = v[index[i]];
}

// expect: conditional 0-2 1-2
// truth: idempotent
// why: an index read from memory chooses what is written, and a permutation writes each place once
// args: perm[64] f32[64] f32[64]
__kernel void scatter(__global const int *index, __global const float *v, __global float *out) {
  int i = (int)get_global_id(0);
  out[index[i]] = v[i];
}

// expect: conditional 0-3 1-3 2-3
// truth: idempotent
// why: a sparse row is summed in a register
// args: rows[65] i32<64>[256] f32[256] f32[64]
__kernel void sparse_row(__global const int *begin, __global const int *column, __global const float *v, __global float *y) {
  int i = (int)get_global_id(0);
  float sum = 0;
  for (int k = begin[i]; k < begin[i + 1]; k++) {
    sum += v[k] * column[k];
  }
  y[i] = sum;
}

// expect: conditional 0-1
// truth: idempotent
// why: a pointer that walks over the output
// args: f32[64] f32[512]
__kernel void walk(__global const float *a, __global float *b) {
  __global float *p = b + get_global_id(0) * 8;
  float x = a[get_global_id(0)];
  for (int k = 0; k < 8; k++) {
    *p++ = x * k;
  }
}

// expect: conditional 0-2 1-2
// truth: idempotent
// why: either input may be read
// args: f32[64] f32[64] f32[64] i32=1
__kernel void either_input(__global const float *a, __global const float *b, __global float *c, int which) {
  int i = (int)get_global_id(0);
  __global const float *from = (which + i) % 2 ? a : b;
  c[i] = from[i];
}

// expect: conditional 0-1 0-2
// truth: idempotent
// why: either output may be written
// args: f32[64] f32[64] f32[64] i32=1
__kernel void either_output(__global const float *a, __global float *b, __global float *c, int which) {
  int i = (int)get_global_id(0);
  __global float *to = (which + i) % 2 ? b : c;
  to[i] = a[i];
}

// expect: conditional 0-1
// truth: idempotent
// why: the private array is filled before it is read
// args: i32[64] i32[64]
__kernel void reversed(__global const int *a, __global int *b) {
  int t[8];
  int g = (int)get_global_id(0) / 8 * 8;
  for (int k = 0; k < 8; k++) {
    t[k] = a[g + k];
  }
  b[get_global_id(0)] = t[7 - get_global_id(0) % 8];
}

__constant float weights[5] = {1, 4, 6, 4, 1};

// expect: conditional 0-1
// truth: idempotent
// why: the table of the program is constant
// args: f32[68] f32[64]
__kernel void table(__global const float *a, __global float *b) {
  int i = (int)get_global_id(0);
  float sum = 0;
  for (int k = 0; k < 5; k++) {
    sum += weights[k] * a[i + k];
  }
  b[i] = sum / 16;
}

// expect: conditional 0-1
// truth: idempotent
// why: constant memory may be the memory of another argument
// args: f32[64] f32[64]
__kernel void constant_argument(__constant float *a, __global float *b) {
  b[get_global_id(0)] = a[get_global_id(0)] * 3;
}
