// Reads and writes of one argument that the numbers of a launch keep apart, or do not.

// expect: conditional 0@
// truth: idempotent
// launch: holds
// why: one part of a buffer is read, another is written
// args: f32[256] i32=0 i32=64
__kernel void moved(__global float *c, int from, int to) {
  int i = (int)get_global_id(0);
  c[to + i] = c[from + i] * 2;
}

// expect: conditional 0@
// truth: idempotent
// launch: holds
// why: each work-item has a part of the buffer, of which it reads the first numbers and writes the next
// args: i32[1024] i32=16 i32=4 i32=4
__kernel void own_part(__global int *c, int length, int n, int to) {
  int own = (int)get_global_id(0) * length;
  for (int k = 0; k < n; k++) {
    c[own + to + k] = c[own + k] + 1;
  }
}

// expect: conditional 0@
// truth: not
// launch: fails
// why: the last number that is written is the first that was read
// args: i32[1024] i32=16 i32=5 i32=4
__kernel void own_part_and_one(__global int *c, int length, int n, int from) {
  int own = (int)get_global_id(0) * length;
  for (int k = 0; k < n; k++) {
    c[own + k] = c[own + from + k] + 1;
  }
}

// expect: conditional 0@
// truth: not
// launch: fails
// why: the same by a bound that is reached
// args: i32[1024] i32=16 i32=4 i32=4
__kernel void up_to(__global int *c, int length, int n, int from) {
  int own = (int)get_global_id(0) * length;
  for (int k = 0; k <= n; k++) {
    c[own + k] = c[own + from + k] + 1;
  }
}

// expect: conditional 0@
// truth: idempotent
// launch: holds
// why: pointers that move, one by a step that the host gives; the rows of a column are two halves
// args: i32[1024] i32=8 i32=16 i32=1
__kernel void halves(__global int *s, int half_of, int rows, int step) {
  __global int *from = s + (int)get_global_id(0) * rows;
  __global int *to = from + half_of;
  for (int k = 0; k < half_of; k += 1) {
    *to = *from + k;
    to += step;
    from++;
  }
}

// expect: conditional 0@
// truth: idempotent
// launch: holds
// why: one goes up and the other down, and they do not meet
// args: i32[1024] i32=8
__kernel void towards(__global int *s, uint n) {
  uint own = get_global_id(0) * 16u;
  for (uint k = 0; n > k; k++) {
    s[own + 15u - k] = s[own + k] * 3;
  }
}

// expect: conditional 0@
// truth: not
// launch: fails
// why: they meet
// args: i32[1024] i32=9
__kernel void towards_and_one(__global int *s, uint n) {
  uint own = get_global_id(0) * 16u;
  for (uint k = 0; n > k; k++) {
    s[own + 15u - k] = s[own + k] * 3;
  }
}

// expect: conditional 0@
// truth: not
// launch: fails
// why: behind the loop the counter has one more value, and the test of the loop reads there, too
// args: i32[1024] i32=8 i32=8
__kernel void in_the_test(__global int *s, int n, int to) {
  int own = (int)get_global_id(0) * 16;
  int sum = 0;
  for (int k = 0; sum += s[own + k], k < n; k++) {
    sum += 1;
  }
  s[own + to] = sum;
}

// expect: conditional 0@
// truth: not
// launch: fails
// why: behind the loop the counter is back where a round has read
// args: i32[1024] i32=8 i32=1
__kernel void behind(__global int *s, int n, int back) {
  int own = (int)get_global_id(0) * 16;
  int sum = 0, k;
  for (k = 0; k < n; k++) {
    sum += s[own + k];
  }
  s[own + k - back] = sum;
}

// expect: unknown
// truth: idempotent
// why: apart, as the loop has ended, but a counter behind its loop may have any of its values
// args: i32[1024] i32=8
__kernel void right_behind(__global int *s, int n) {
  int own = (int)get_global_id(0) * 16;
  int sum = 0, k;
  for (k = 0; k < n; k++) {
    sum += s[own + k];
  }
  s[own + k] = sum;
}

void half_to_half(__global int *s, int own, int n, bool up, int part) {
  __global int *from;
  __global int *to;
  if (up) {
    from = s + own;
    to = s + own + n;
  } else {
    from = s + own + n;
    to = s + own;
  }
  for (int k = 0; k < n; k++) {
    to[k] = part == 2 ? -from[k] : from[k] + 1;
  }
}

// expect: conditional 0@
// truth: idempotent
// launch: holds
// why: a constant decides which half is read
// args: i32[1024] i32=8
__kernel void up(__global int *s, int n) {
  half_to_half(s, (int)get_global_id(0) * 2 * n, n, true, 1);
}

// expect: conditional 0@
// truth: idempotent
// launch: holds
// why: the other one
// args: i32[1024] i32=8
__kernel void down(__global int *s, int n) {
  half_to_half(s, (int)get_global_id(0) * 2 * n, n, false, 2);
}

// expect: conditional 0@
// truth: idempotent
// launch: holds
// why: halves of the blocks of a page, by quotients and remainders of the number of the workgroup
// args: i32[1024] i32=4 i32=64
// size: 64 4
__kernel void paged(__global int *s, int n, int page) {
  int blocks = page / (2 * n);
  int group = (int)get_group_id(0);
  __global int *own = s + (group / blocks) * page + (group % blocks) * (2 * n);
  int i = (int)get_local_id(0);
  own[n + i] = own[i] + 1;
}

// expect: conditional 0@
// truth: idempotent
// launch: fails
// why: a page that is no multiple of its blocks: apart, but not by what is left of a division
// args: i32[1024] i32=4 i32=60
// size: 64 4
__kernel void paged_by_less(__global int *s, int n, int page) {
  int blocks = page / (2 * n);
  int group = (int)get_group_id(0);
  __global int *own = s + (group / blocks) * page + (group % blocks) * (2 * n);
  int i = (int)get_local_id(0);
  own[n + i] = own[i] + 1;
}

// expect: conditional 0@
// truth: skip
// launch: fails
// why: a number that is too large for its type is another
// args: i32[512] i32=200
__kernel void too_large(__global int *s, int to) {
  int i = (int)get_global_id(0);
  s[(uchar)(to + i)] = s[i] + 1;
}

// expect: unknown
// truth: not
// why: the step grows, so that the counter is not known
// args: i32[1024] i32=8
__kernel void ever_larger(__global int *s, int n) {
  int own = (int)get_global_id(0) * 16;
  int step = 1;
  for (int k = 0; k < n; k += step) {
    s[own + k] = s[own + k + 1] + 1;
    step += k & 1;
  }
}

// expect: unknown
// truth: not
// why: the distance is read from memory
// args: i32[1024] i32<8>[64]
__kernel void by_memory(__global int *s, __global const int *by) {
  int i = (int)get_global_id(0);
  s[16 * i + by[i]] = s[16 * i + by[63 - i]] + 1;
}

// expect: not
// truth: not
// why: whatever the number is, the place is the same
// args: i32[256] i32=8
__kernel void same_place(__global int *s, int from) {
  int i = (int)get_global_id(0);
  s[(i + from) & 63] = s[(i + from) & 63] + 1;
}
