// Kernels in the manner of public suites: linear algebra, graphs, scans, sorts, layers of networks.

// expect: conditional 0-1
// truth: idempotent
// why: each sum is set to 0 before it grows, and its mirror image is only written
// args: f32[64] f32[64] i32=8
// size: 8 4
__kernel void covariance(__global float *m, __global const float *data, int n) {
  int a = (int)get_global_id(0);
  for (int b = a; b < n; b++) {
    m[a * n + b] = 0;
    for (int k = 0; k < n; k++) {
      m[a * n + b] += data[k * n + a] * data[k * n + b];
    }
    m[b * n + a] = m[a * n + b];
  }
}

// expect: conditional 0-1 0-2 1-3 2-3
// truth: idempotent
// why: what is read back is the mean that the same work-item has written
// args: f32[64] f32[8] f32[8] f32[64] i32=8
// size: 8 4
__kernel void norm(__global const float *w, __global float *mean, __global float *inverse, __global const float *in, int n) {
  __global const float *x = in + get_global_id(0) * n;
  int row = (int)get_global_id(0);
  float sum = 0;
  for (int k = 0; k < n; k++) {
    sum += x[k] * w[k];
  }
  mean[row] = sum / n;
  float squares = 0;
  for (int k = 0; k < n; k++) {
    squares += (x[k] - mean[row]) * (x[k] - mean[row]);
  }
  inverse[row] = 1 / (squares + 1);
}

// expect: conditional 0-1 0-2
// truth: idempotent
// why: the place of the largest is a value like any other
// args: f32[256] f32[64] i32[64]
__kernel void max_pool(__global const float *in, __global float *top, __global int *place) {
  int g = (int)get_global_id(0);
  float most = -1;
  int at = -1;
  for (int k = 0; k < 4; k++) {
    if (in[g * 4 + k] > most) {
      at = g * 4 + k;
      most = in[at];
    }
  }
  top[g] = most;
  place[g] = at;
}

// expect: conditional 0-3 1-3 2-3
// truth: idempotent
// why: rows of different lengths are read only
// args: rows[65] i32<64>[512] f32[64] f32[64]
__kernel void page_rank(__global const int *row, __global const int *column, __global const float *x, __global float *y) {
  int g = (int)get_global_id(0);
  y[g] = 0;
  for (int e = row[g]; e < row[g + 1]; e++) {
    y[g] += x[column[e]];
  }
}

// expect: conditional 0-2 0-3 1-2 1-3
// truth: idempotent
// why: the next front and distances are other arrays than the present ones
// args: i32<2>[64] i32<9>[64] i32[64] i32[64]
__kernel void pull(__global const int *front, __global const int *distance, __global int *next, __global int *found) {
  int g = (int)get_global_id(0);
  int d = distance[g];
  int reached = 0;
  if (d > 4) {
    for (int k = 1; k < 8; k++) {
      if (front[(g + k) % 64]) {
        d = 4;
        reached = 1;
        break;
      }
    }
  }
  found[g] = d;
  next[g] = reached;
}

// expect: conditional 0-1
// truth: idempotent
// why: two runs are merged from one array into another
// args: i32[64] i32[64]
// size: 8 4
__kernel void merge(__global const int *a, __global int *b) {
  int low = (int)get_global_id(0) * 8;
  int i = low, j = low + 4;
  for (int k = low; k < low + 8; k++) {
    if (i < low + 4 && (j >= low + 8 || a[i] <= a[j])) {
      b[k] = a[i++];
    } else {
      b[k] = a[j++];
    }
  }
}

// expect: unknown
// truth: not
// why: stopped between its two writes, a pair has lost one of its values
// args: i32[128]
__kernel void exchange_sort(__global int *a) {
  int i = (int)get_global_id(0) * 2;
  int first = a[i], second = a[i + 1];
  if (first > second) {
    a[i] = second;
    a[i + 1] = first;
  }
}

// expect: unknown
// truth: not
// why: stopped between its two writes, a path has its length without its way
// args: i32[64] i32[64] i32=3
__kernel void shortest(__global int *length, __global int *way, int k) {
  int g = (int)get_global_id(0);
  if (g % 8 != k) {
    int over = length[g - g % 8 + k];
    if (over < length[g]) {
      length[g] = over;
      way[g] = k;
    }
  }
}

// expect: unknown
// truth: idempotent
// why: each value is read where rounds before have written it, which is not seen
// args: f32[64] f32[64] f32[64] i32=8
// size: 8 4
__kernel void solve(__global const float *m, __global const float *b, __global float *x, int n) {
  int row = (int)get_global_id(0) * n;
  for (int i = 0; i < n; i++) {
    float sum = b[row + i];
    for (int j = 0; j < i; j++) {
      sum -= m[i * n + j] * x[row + j];
    }
    x[row + i] = sum;
  }
}

// expect: not
// truth: idempotent
// why: the way back visits what the way there has written, in another order, which is not seen
// args: f32[64] f32[64] i32=8
// size: 8 4
__kernel void there_and_back(__global const float *a, __global float *out, int n) {
  int row = (int)get_global_id(0) * n;
  float before = 0;
  for (int k = 0; k < n; k++) {
    before = before / 2 + a[row + k];
    out[row + k] = before;
  }
  before = 0;
  for (int k = n - 1; k >= 0; k--) {
    before = before / 2 + a[row + k];
    out[row + k] += before;
  }
}

// expect: unknown
// truth: idempotent
// why: what is written does not come from what was read, and is not looked at by its own guard again
// args: i32[64]
__kernel void cut_off(__global int *a) {
  int i = (int)get_global_id(0);
  if (a[i] > 500) {
    a[i] = 500;
  }
}

// expect: conditional 0-1 2=0
// truth: idempotent
// why: the number tells which of two arrays is read, and which written; if it is not zero, both are taken for both
// args: f32[64] f32[64] i32=1
__kernel void ping_pong(__global float *a, __global float *b, int odd) {
  __global float *from = odd ? a : b;
  __global float *to = odd ? b : a;
  to[get_global_id(0)] = from[get_global_id(0)] * 2;
}
