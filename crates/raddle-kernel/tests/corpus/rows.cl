// Rows that one loop writes and another reads, and loops that only look as if they did.

// expect: conditional 0-1 1-2
// truth: idempotent
// why: the second loop reads what the first has written, place by place
// args: f32[64] f32[64] f32[8]
// size: 8 4
__kernel void temporary_row(__global float *t, __global const float *a, __global float *out) {
  int g = (int)get_global_id(0);
  for (int k = 0; k < 8; k++) {
    t[g * 8 + k] = a[g * 8 + k] * 2;
  }
  float sum = 0;
  for (int k = 0; k < 8; k++) {
    sum += t[g * 8 + k];
  }
  out[g] = sum;
}

// expect: conditional 0-1
// truth: idempotent
// why: the row of exponentials is written, added up and then divided by its sum
// args: f32[64] f32[64] i32=8
// size: 8 4
__kernel void softmax(__global const float *a, __global float *out, int n) {
  int row = (int)get_global_id(0) * n;
  float most = a[row];
  for (int k = 1; k < n; k++) {
    most = fmax(most, a[row + k]);
  }
  for (int k = 0; k < n; k++) {
    out[row + k] = exp(a[row + k] - most);
  }
  float sum = 0;
  for (int k = 0; k < n; k++) {
    sum += out[row + k];
  }
  for (int k = 0; k < n; k++) {
    out[row + k] /= sum;
  }
}

// expect: conditional 0-2 1-2
// truth: idempotent
// why: the row is centred, then scaled by its own variance
// args: f32[64] f32[8] f32[64] i32=8
// size: 8 4
__kernel void layer_norm(__global const float *a, __global const float *weight, __global float *out, int n) {
  __global const float *from = a + get_global_id(0) * n;
  __global float *to = out + get_global_id(0) * n;
  float mean = 0;
  for (int k = 0; k < n; k++) {
    mean += from[k];
  }
  mean /= n;
  float variance = 0;
  for (int k = 0; k < n; k++) {
    to[k] = from[k] - mean;
    variance += to[k] * to[k];
  }
  for (int k = 0; k < n; k++) {
    to[k] = to[k] * rsqrt(variance / n + 1) * weight[k];
  }
}

// expect: conditional 0-1
// truth: idempotent
// why: a matrix of each work-item, written by two loops and read by two with equal bounds
// args: f32[64] f32[64]
// size: 4 2
__kernel void own_matrix(__global const float *a, __global float *m) {
  __global float *own = m + get_global_id(0) * 16;
  for (int i = 0; i < 4; i++) {
    for (int j = 0; j < 4; j++) {
      own[i * 4 + j] = a[j * 4 + i];
    }
  }
  for (int i = 0; i < 4; i++) {
    for (int j = 0; j < 4; j++) {
      own[i * 4 + j] += 1;
    }
  }
}

// expect: conditional 0-1
// truth: idempotent
// why: a triangle, whose inner bound is the counter of the outer loop in both nests
// args: f32[64] f32[64] i32=4
// size: 4 2
__kernel void own_triangle(__global const float *a, __global float *m, int n) {
  __global float *own = m + get_global_id(0) * 16;
  for (int i = 0; i < n; i++) {
    for (int j = 0; j <= i; j++) {
      own[i * n + j] = a[j * n + i];
    }
  }
  for (int i = 0; i < n; i++) {
    for (int j = 0; j <= i; j++) {
      own[i * n + j] *= 2;
    }
  }
}

// expect: conditional 0-2 1-2
// truth: idempotent
// why: the row is every fourth place, found by an index that is not written
// args: perm[16] f32[64] f32[64]
// size: 4 2
__kernel void strided_indirect(__global const int *index, __global const float *a, __global float *out) {
  int g = (int)get_global_id(0);
  for (int k = g; k < 16; k += 4) {
    out[index[k]] = a[k];
  }
  for (int k = g; k < 16; k += 4) {
    out[index[k]] += 1;
  }
}

// expect: conditional 0-1
// truth: idempotent
// why: loops that look at their condition behind each round
// args: f32[64] f32[64] i32=8
// size: 8 4
__kernel void rounds_first(__global const float *a, __global float *out, int n) {
  int row = (int)get_global_id(0) * n;
  int k = 0;
  do {
    out[row + k] = a[row + k];
    k++;
  } while (k < n);
  k = 0;
  do {
    out[row + k] *= 2;
    k++;
  } while (k < n);
}

// expect: conditional 0-1
// truth: idempotent
// why: the reading loop may end early; what it reads has been written all the same
// args: f32[64] f32[64] i32=8
// size: 8 4
__kernel void reads_a_part(__global const float *a, __global float *out, int n) {
  int row = (int)get_global_id(0) * n;
  for (int k = 0; k < n; k++) {
    out[row + k] = a[row + k];
  }
  for (int k = 0; k < n; k++) {
    if (out[row + k] > 8) {
      break;
    }
    out[row + k] += 1;
  }
}

// expect: not
// truth: not
// why: the reading loop goes one place further
// args: f32[80] i32=8
// size: 8 4
__kernel void one_further(__global float *out, int n) {
  int row = (int)get_global_id(0) * (n + 1);
  for (int k = 0; k < n; k++) {
    out[row + k] = k;
  }
  for (int k = 0; k <= n; k++) {
    out[row + k] += 1;
  }
}

// expect: not
// truth: not
// why: the reading loop begins one place before
// args: f32[80] i32=8
// size: 8 4
__kernel void one_before(__global float *out, int n) {
  int row = (int)get_global_id(0) * n;
  for (int k = 1; k < n; k++) {
    out[row + k] = k;
  }
  for (int k = 0; k < n; k++) {
    out[row + k] += 1;
  }
}

// expect: not
// truth: not
// why: the writing loop leaves out every second place
// args: f32[64] i32=8
// size: 8 4
__kernel void every_second(__global float *out, int n) {
  int row = (int)get_global_id(0) * n;
  for (int k = 0; k < n; k += 2) {
    out[row + k] = k;
  }
  for (int k = 0; k < n; k++) {
    out[row + k] += 1;
  }
}

// expect: not
// truth: not
// why: some rounds go on before they write
// args: f32[64] f32[64] i32=8
// size: 8 4
__kernel void goes_on_before(__global const float *a, __global float *out, int n) {
  int row = (int)get_global_id(0) * n;
  for (int k = 0; k < n; k++) {
    if (a[row + k] > 4) {
      continue;
    }
    out[row + k] = k;
  }
  for (int k = 0; k < n; k++) {
    out[row + k] += 1;
  }
}

// expect: not
// truth: not
// why: the writing loop may end early
// args: f32[64] f32[64] i32=8
// size: 8 4
__kernel void ends_early(__global const float *a, __global float *out, int n) {
  int row = (int)get_global_id(0) * n;
  for (int k = 0; k < n; k++) {
    if (a[row + k] > 4) {
      break;
    }
    out[row + k] = k;
  }
  for (int k = 0; k < n; k++) {
    out[row + k] += 1;
  }
}

// expect: not
// truth: not
// why: the bound is another number in the second loop
// args: f32[80] i32=8
// size: 8 4
__kernel void bound_grows(__global float *out, int n) {
  int row = (int)get_global_id(0) * 9;
  for (int k = 0; k < n; k++) {
    out[row + k] = k;
  }
  n++;
  for (int k = 0; k < n; k++) {
    out[row + k] += 1;
  }
}

// expect: not
// truth: not
// why: the bound lies in memory that the kernel writes in between
// args: f32[80] i32[8]
// size: 8 4
__kernel void bound_in_memory(__global float *out, __global int *bound) {
  int g = (int)get_global_id(0);
  bound[g] = 6;
  for (int k = 0; k < bound[g]; k++) {
    out[g * 8 + k] = k;
  }
  bound[g] = 8;
  for (int k = 0; k < bound[g]; k++) {
    out[g * 8 + k] += 1;
  }
}

// expect: conditional 0-1 1-2
// truth: idempotent
// why: the bound lies in memory; in one buffer with the row it would change
// args: i32[64] i32<8>[8] i32[64]
// size: 8 4
__kernel void bound_may_alias(__global int *out, __global const int *bound, __global int *sum) {
  int g = (int)get_global_id(0);
  for (int k = 0; k < bound[g]; k++) {
    out[g * 8 + k] = k;
  }
  for (int k = 0; k < bound[g]; k++) {
    sum[g * 8 + k] = out[g * 8 + k];
  }
}

// expect: not
// truth: not
// why: the counter is moved in some rounds, so that places are left out
// args: f32[64] f32[80] i32=8
// size: 8 4
__kernel void counter_is_moved(__global const float *a, __global float *out, int n) {
  int row = (int)get_global_id(0) * n;
  for (int k = 0; k < n; k++) {
    out[row + k] = k;
    if (a[row + k] > 4) {
      k++;
    }
  }
  for (int k = 0; k < n; k++) {
    out[row + k] += 1;
  }
}

// expect: not
// truth: not
// why: the row of the writing loop moves on while that of the reading loop stays
// args: f32[160] i32=8
// size: 8 4
__kernel void row_moves(__global float *out, int n) {
  int row = (int)get_global_id(0) * 16;
  int to = row;
  for (int k = 0; k < n; k++) {
    out[to + k] = k;
    to++;
  }
  for (int k = 0; k < n; k++) {
    out[row + k] += 1;
  }
}

// expect: not
// truth: not
// why: only the last row is written as a whole, the others are read as well
// args: f32[64] i32=4
// size: 4 2
__kernel void inner_row_only(__global float *m, int n) {
  __global float *own = m + get_global_id(0) * 16;
  for (int i = 1; i < n; i++) {
    for (int j = 0; j < n; j++) {
      own[i * n + j] = j;
    }
  }
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++) {
      own[i * n + j] += 1;
    }
  }
}

// expect: not
// truth: not
// why: the first round of the outer loop reads what only later rounds have written
// args: f32[80] i32=4
// size: 4 2
__kernel void row_of_the_round_before(__global float *m, int n) {
  __global float *own = m + get_global_id(0) * 16;
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++) {
      own[i * n + j] += 1;
    }
    for (int j = 0; j < n; j++) {
      own[i * n + j] *= 2;
    }
  }
}

// expect: not
// truth: not
// why: each round writes into another half, and only the half of the last round is read
// args: i32[8] f32[160] i32=8
// size: 8 4
__kernel void half_of_the_last_round(__global int *part, __global float *out, int n) {
  int g = (int)get_global_id(0);
  int k = 0;
  int j = 0;
  do {
    part[g] = k & 1;
    j = part[g];
    out[g * 16 + j * 8 + k] = k;
    k++;
  } while (k < n);
  k = 0;
  do {
    out[g * 16 + j * 8 + k] += 1;
    k++;
  } while (k < n);
}

// expect: conditional 0-2 1-2
// truth: idempotent
// why: the row is filled, then added to by a loop one deeper, as in flash attention
// args: f32[8] f32[64] f32[64] i32=8
// size: 8 4
__kernel void accumulated_deeper(__global const float *q, __global const float *k, __global float *out, int n) {
  int row = (int)get_global_id(0) * n;
  for (int c = 0; c < n; c++) {
    out[row + c] = 0;
  }
  for (int j = 0; j < n; j++) {
    float weight = q[j];
    for (int c = 0; c < n; c++) {
      out[row + c] = out[row + c] * weight + k[j * n + c];
    }
  }
  for (int c = 0; c < n; c++) {
    out[row + c] *= 0.5f;
  }
}

// expect: conditional 0-1
// truth: idempotent
// why: a block of rows is filled by two loops, and added to by three
// args: f32[64] f32[64] i32=2
// size: 8 4
__kernel void block_accumulated_deeper(__global const float *a, __global float *out, int n) {
  int own = (int)get_global_id(0) * n * n;
  for (int i = 0; i < n; i++) {
    for (int c = 0; c < n; c++) {
      out[own + i * n + c] = 1;
    }
  }
  for (int j = 0; j < n; j++) {
    for (int i = 0; i < n; i++) {
      for (int c = 0; c < n; c++) {
        out[own + i * n + c] += a[j];
      }
    }
  }
}

// expect: not
// truth: not
// why: the fill ends one place before the deeper loop
// args: f32[64] f32[64] i32=8
// size: 8 4
__kernel void filled_too_short(__global const float *a, __global float *out, int n) {
  int row = (int)get_global_id(0) * n;
  for (int c = 0; c < n - 1; c++) {
    out[row + c] = 0;
  }
  for (int j = 0; j < n; j++) {
    for (int c = 0; c < n; c++) {
      out[row + c] += a[j];
    }
  }
}

// expect: not
// truth: not
// why: the loop around the fill may have no round
// args: f32[64] f32[64] i32=8 i32=0
// size: 8 4
__kernel void filled_in_no_round(__global const float *a, __global float *out, int n, int rounds) {
  int row = (int)get_global_id(0) * n;
  for (int j = 0; j < rounds; j++) {
    for (int c = 0; c < n; c++) {
      out[row + c] = 0;
    }
  }
  for (int c = 0; c < n; c++) {
    out[row + c] += a[c];
  }
}

// expect: not
// truth: not
// why: the row that is filled is another one than the row that is added to, but for the first round
// args: f32[64] f32[128] i32=2
// size: 8 4
__kernel void another_row_each_round(__global const float *a, __global float *out, int n) {
  int own = (int)get_global_id(0) * n * n;
  for (int c = 0; c < n; c++) {
    out[own + c] = 0;
  }
  for (int j = 0; j < n; j++) {
    for (int c = 0; c < n; c++) {
      out[own + j * n + c] += a[j];
    }
  }
}
