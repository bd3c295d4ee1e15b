// Kernels that read what they have written.

// expect: conditional 0-2 1-2
// truth: idempotent
// why: c is written before it is read, by the same work-item
// args: f32[64] f32[64] f32[64] i32=8
__kernel void gemm_memory(__global const float *a, __global const float *b, __global float *c, int n) {
  int i = (int)get_global_id(0) / n;
  int j = (int)get_global_id(0) % n;
  c[i * n + j] = 0;
  for (int k = 0; k < n; k++) {
    c[i * n + j] += a[i * n + k] * b[k * n + j];
  }
}

// expect: conditional 0-1
// truth: idempotent
// why: both ways write before the read
// args: f32[64] f32[64] i32=3
__kernel void both_ways(__global const float *a, __global float *c, int n) {
  int i = (int)get_global_id(0);
  if (i % 2 < n) {
    c[i] = 1;
  } else {
    c[i] = 2;
  }
  c[i] += a[i];
}

// expect: conditional 0-2 1-2
// truth: idempotent
// why: the index is not written, so it stays what it is
// args: perm[64] f32[64] f32[64]
__kernel void covered_scatter(__global const int *index, __global const float *v, __global float *out) {
  int i = (int)get_global_id(0);
  out[index[i]] = v[i];
  out[index[i]] *= 2;
  out[index[i]] += 1;
}

// expect: conditional 0-1
// truth: idempotent
// why: the whole vector is written before its lanes are changed
// args: f32[256] f32[256]
__kernel void vector_lanes(__global const float4 *a, __global float4 *b) {
  int i = (int)get_global_id(0);
  b[i] = a[i];
  b[i].x += 1;
  b[i].w *= b[i].y;
}

// expect: conditional 0-1
// truth: idempotent
// why: the matrix is written row by row, then scaled by the same work-item
// args: f32[8] f32[64]
// size: 8 4
__kernel void outer_rows(__global const float *a, __global float *m) {
  int i = (int)get_global_id(0);
  for (int j = 0; j < 8; j++) {
    m[i * 8 + j] = a[i] * a[j];
    m[i * 8 + j] = m[i * 8 + j] * 0.5f;
  }
}

// expect: idempotent
// truth: idempotent
// why: the loop runs at least once, so the read behind it is covered
// args: i32[64] i32=5
__kernel void do_while(__global int *c, int n) {
  int i = (int)get_global_id(0);
  int k = 0;
  do {
    c[i] = k;
    k++;
  } while (k < n);
  c[i] += 2;
}

void set(__global int *p, int value) {
  *p = value;
}

int get(__global int *p) {
  return *p;
}

// expect: idempotent
// truth: idempotent
// why: written by one function and read by another, at the same place
// args: i32[64]
__kernel void by_functions(__global int *c) {
  int i = (int)get_global_id(0);
  set(c + i, i);
  int x = get(c + i);
  set(&c[i], x + 1);
}

// expect: conditional 0-1
// truth: idempotent
// why: a switch whose every case writes
// args: i32[64] i32[64]
__kernel void switched(__global const int *a, __global int *c) {
  int i = (int)get_global_id(0);
  switch (a[i] & 3) {
    case 0: {
      c[i] = 10;
      break;
    }
    case 1: {
      c[i] = 20;
      break;
    }
    default: {
      c[i] = 30;
    }
  }
  c[i] += 1;
}

#define AT(m, i, j) ((m)[(i) * 8 + (j)])

// expect: conditional 0-1
// truth: idempotent
// why: a macro gives the same place twice
// args: f32[64] f32[64]
__kernel void by_macro(__global const float *a, __global float *c) {
  int i = (int)get_global_id(0) / 8;
  int j = (int)get_global_id(0) % 8;
  AT(c, i, j) = AT(a, j, i);
  AT(c, i, j) += 1;
}

struct params {
  int stride;
  int offset;
};

// expect: conditional 0-1
// truth: idempotent
// why: numbers of a structure that the kernel builds are values
// args: f32[64] f32[130]
__kernel void by_structure(__global const float *a, __global float *c) {
  struct params p;
  p.stride = 2;
  p.offset = 1;
  int i = (int)get_global_id(0) * p.stride + p.offset;
  c[i] = 0;
  c[i] += a[get_global_id(0)];
}

// expect: idempotent
// truth: idempotent
// why: what vstore4 wrote is what vload4 reads
// args: f32[256]
__kernel void vector_store(__global float *c) {
  size_t i = get_global_id(0);
  vstore4((float4)(1, 2, 3, 4) * (float)i, i, c);
  float4 x = vload4(i, c);
  vstore4(x + 1, i, c);
}

// expect: not
// truth: not
// why: the index is written in between, so the second place is another one
// args: i32[64] i32[128]
__kernel void changing_index(__global int *c, __global int *d) {
  int i = (int)get_global_id(0);
  c[i] = i * 2;
  d[c[i]] = 0;
  c[i] = i * 2 + 1;
  d[c[i]] += 1;
}
