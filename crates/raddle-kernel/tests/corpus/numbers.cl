// Numbers that are zero at a launch, and keep a kernel away from what it reads in place.

// expect: conditional 0-1 2=0
// truth: not
// why: with a factor of zero, what is there is not read
// args: f32[64] f32[64] f32=2
__kernel void axpby(__global const float *a, __global float *c, float beta) {
  int i = (int)get_global_id(0);
  float sum = a[i] * 3;
  if (beta == 0) {
    c[i] = sum;
  } else {
    c[i] = sum + beta * c[i];
  }
}

// expect: conditional 0-1 2=0
// truth: not
// why: the same, as one expression
// args: f32[64] f32[64] f32=2
__kernel void chosen(__global const float *a, __global float *c, float beta) {
  int i = (int)get_global_id(0);
  c[i] = beta != 0.0f ? a[i] + beta * c[i] : a[i];
}

void result(__global float *c, int i, float sum, const float alpha, const double beta) {
  float all;
  if ((beta == 0)) {
    all = alpha * sum;
  } else {
    float before = c[i];
    all = alpha * sum + beta * before;
  }
  c[i] = all;
}

// expect: conditional 0-2 1-2 5=0
// truth: not
// why: the factor is converted and handed on to a function
// args: f32[64] f32[64] f32[64] i32=8 f32=2 f32=3
// size: 8 4
__kernel void product(__global const float *a, __global const float *b, __global float *c, int n, float alpha, float beta) {
  int column = (int)get_global_id(0);
  for (int row = 0; row < n; row++) {
    float sum = 0;
    for (int k = 0; k < n; k++) {
      sum += a[row * n + k] * b[k * n + column];
    }
    result(c, row * n + column, sum, alpha, beta);
  }
}

// expect: conditional 0-1 2=0
// truth: not
// why: a flag and another one that does not count
// args: f32[64] f32[64] i32=1 i32=1
__kernel void accumulate(__global const float *a, __global float *c, int add, int twice) {
  int i = (int)get_global_id(0);
  float sum = twice ? a[i] * 2 : a[i];
  if (add && sum > 0) {
    c[i] += sum;
  } else {
    c[i] = sum;
  }
}

// expect: conditional 0-1 2=0
// truth: not
// why: a bit of the number decides
// args: f32[64] f32[64] i32=3
__kernel void bit_of(__global const float *a, __global float *c, int flags) {
  int i = (int)get_global_id(0);
  if ((flags & 1) == 0) {
    c[i] = a[i];
  } else {
    c[i] += a[i];
  }
}

// expect: not
// truth: not
// why: without a round nothing would be added, which is not seen
// args: i32[64] i32=3
__kernel void no_round(__global int *c, int n) {
  int i = (int)get_global_id(0);
  for (int k = 0; k < n; k++) {
    c[i] += k + 1;
  }
}

// expect: not
// truth: not
// why: it is read where the factor is zero
// args: f32[64] f32[64] f32=0
__kernel void other_way(__global const float *a, __global float *c, float beta) {
  int i = (int)get_global_id(0);
  if (beta != 0) {
    c[i] = a[i];
  } else {
    c[i] = c[i] + a[i];
  }
}

// expect: unknown
// truth: not
// why: one read is behind the question, the other is not
// args: f32[64] f32[64] f32=0
__kernel void one_of_two(__global const float *a, __global float *c, float beta) {
  int i = (int)get_global_id(0);
  float sum = a[i] + c[i] / 2;
  if (beta != 0) {
    sum += beta * c[i];
  }
  c[i] = sum;
}

// expect: not
// truth: not
// why: the number is changed before it is asked for
// args: f32[64] f32[64] i32=0
__kernel void changed_before(__global const float *a, __global float *c, int add) {
  int i = (int)get_global_id(0);
  add = add + 1;
  if (add == 0) {
    c[i] = a[i];
  } else {
    c[i] += a[i];
  }
}

// expect: not
// truth: not
// why: the number is zero in the first round alone
// args: f32[64] f32[64] i32=0
__kernel void changed_later(__global const float *a, __global float *c, int add) {
  int i = (int)get_global_id(0);
  for (int k = 0; k < 2; k++) {
    if (add != 0) {
      c[i] += a[i];
    }
    add++;
  }
}

// expect: not
// truth: not
// why: two numbers together decide
// args: f32[64] f32[64] i32=0 i32=1
__kernel void of_two(__global const float *a, __global float *c, int one, int two) {
  int i = (int)get_global_id(0);
  if (one + two == 0) {
    c[i] = a[i];
  } else {
    c[i] += a[i];
  }
}

// expect: not
// truth: not
// why: the number lies in memory, which the launch does not name
// args: f32[64] f32[64] i32[1]
__kernel void from_memory(__global const float *a, __global float *c, __global const int *add) {
  int i = (int)get_global_id(0);
  if (add[0] == -1) {
    c[i] = a[i];
  } else {
    c[i] += a[i];
  }
}

// expect: not
// truth: not
// why: a shifted index is no number that is zero
// args: f32[64] i32=0
__kernel void beyond(__global float *c, int n) {
  int i = (int)get_global_id(0);
  if (i + n > 3) {
    c[i] += 1;
  }
}

// expect: not
// truth: skip
// why: a product with zero is zero, but for its sign, and for numbers that are none
// args: f32[64] f32[64] f32=0
__kernel void scaled(__global const float *a, __global float *c, float beta) {
  int i = (int)get_global_id(0);
  c[i] *= beta;
  c[i] += a[i];
}

// expect: not
// truth: not
// why: the smallest unsigned number is not below zero
// args: f32[64] f32[64] i32=0
__kernel void below(__global const float *a, __global float *c, uint n) {
  int i = (int)get_global_id(0);
  if (n - 1 < 5) {
    c[i] = a[i];
  } else {
    c[i] += a[i];
  }
}

// expect: not
// truth: skip
// why: the comparison is one of lanes, of which one is not zero, and it is not about the number
// args: i32[64] i32=3
__kernel void lanes_of_a_number(__global int *c, int n) {
  int i = (int)get_global_id(0);
  union {
    long number;
    int2 lanes;
  } both;
  both.number = 5;
  if ((both.lanes == (int2)(0)).y)
    c[i] += 1;
  else
    c[i] = n;
}
