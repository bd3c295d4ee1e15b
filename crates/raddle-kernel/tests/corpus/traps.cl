// Kernels whose verdict is easily wrong: values that only look equal, and pointers that only look known.

// expect: not
// truth: not
// why: the same number in 8 and in 16 bits is two different indices, so nothing covers the read
// args: f32[1000] i32[64]
// size: 64 64
__kernel void narrowed(__global float *c, __global const int *x) {
  uint v = (uint)x[get_global_id(0)];
  c[(uchar)v] = 0;
  c[(ushort)v] += 1;
}

// expect: conditional 0-3 1-3 2-3
// truth: idempotent
// why: the three pointers change places in each round, so each of them is written
// args: i32[64] i32[64] i32[64] i32[64] i32=4
__kernel void three_in_turn(__global int *a, __global int *b, __global int *c, __global const int *d, int n) {
  int i = (int)get_global_id(0);
  __global int *p = a;
  __global int *q = b;
  __global int *r = c;
  for (int k = 0; k < n; k++) {
    p[i] = d[i] + k;
    __global int *t = p;
    p = q;
    q = r;
    r = t;
  }
}

struct pair {
  int i;
  int j;
};

void change_own(struct pair s) {
  s.i = s.j;
}

// expect: not
// truth: not
// why: the function changes a copy of its own, so the two indices still differ
// args: i32[72]
__kernel void copy_of_callee(__global int *c) {
  int i = (int)get_global_id(0);
  struct pair s;
  s.i = i + 8;
  s.j = i % 8;
  change_own(s);
  c[s.j] = 0;
  c[s.i] += 1;
}

struct link {
  __global struct link *next;
  int value;
};

// expect: unknown
// truth: skip
// why: the first pointer is an argument, the others come from memory
// args: i32[64] i32[64] i32=4
__kernel void linked_list(__global struct link *list, __global int *out, int n) {
  __global struct link *p = list + get_global_id(0);
  for (int k = 0; k < n; k++) {
    p = p->next;
  }
  out[get_global_id(0)] = p->value;
}

// expect: conditional 0-2 1-2
// truth: idempotent
// why: the difference of two pointers leads from one to the other, so b is written too
// args: i32[64] i32[64] i32[64]
__kernel void by_difference(__global char *a, __global char *b, __global const int *d) {
  __global char *p = a + ((ulong)b - (ulong)a);
  p[get_global_id(0)] = (char)d[get_global_id(0)];
}

// expect: conditional 0-1
// truth: idempotent
// why: volatile or not, local memory begins anew in each run
// args: i32[64] i32[64] local[32]
__kernel void volatile_local(__global const int *a, __global int *out, volatile __local int *s) {
  int l = (int)get_local_id(0);
  s[l] = a[get_global_id(0)];
  barrier(CLK_LOCAL_MEM_FENCE);
  out[get_global_id(0)] = s[7 - l];
}

inline int scaled(int x) {
  return 3 * x;
}

// expect: conditional 0-1
// truth: idempotent
// why: an inline function without static is code of this file
// args: i32[64] i32[64]
__kernel void inline_function(__global const int *a, __global int *out) {
  out[get_global_id(0)] = scaled(a[get_global_id(0)]);
}

// expect: conditional 0-1
// truth: idempotent
// why: each sum is set to zero in the outer loop, before the inner loop adds to it
// args: f32[64] f32[64] i32=8
// size: 8 4
__kernel void sums_in_loops(__global const float *a, __global float *c, int n) {
  int j = (int)get_global_id(0);
  for (int k = j; k < n; k++) {
    c[j * n + k] = 0;
    for (int i = 0; i < n; i++) {
      c[j * n + k] += a[i * n + j] * a[i * n + k];
    }
    c[k * n + j] = c[j * n + k];
  }
}

// expect: not
// truth: not
// why: two built-in functions of the same numbers are two places
// args: i32[128]
__kernel void two_functions(__global int *c) {
  int i = (int)get_global_id(0) * 2;
  c[hadd(i, i + 1)] = 0;
  c[rhadd(i, i + 1)] += 1;
}

// expect: not
// truth: not
// why: rounded up and rounded down, a number is two places
// args: i32[128]
__kernel void two_roundings(__global int *c) {
  float place = (float)get_global_id(0) * 2 + 0.5f;
  c[convert_int_rtn(place)] = 0;
  c[convert_int_rtp(place)] += 1;
}

// expect: idempotent
// truth: idempotent
// why: what is rounded alike is one place
// args: i32[64]
__kernel void one_rounding(__global int *c) {
  float place = (float)get_global_id(0) + 0.5f;
  c[convert_int_rtn(place)] = 0;
  c[convert_int_rtn(place)] += 1;
}

// expect: not
// truth: not
// why: the index is written between the two uses, so they are two places
// args: i32[64] i32[128] i32[64]
__kernel void index_moves_on(__global int *index, __global int *c, __global const int *more) {
  int i = (int)get_global_id(0);
  index[i] = i * 2;
  c[index[i]] = 0;
  index[i] = i * 2 + 1;
  c[index[i]] += more[i];
}
