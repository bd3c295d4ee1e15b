// Structures, fields, pointers and types.

typedef struct {
  float x;
  float y;
  int mass;
} body;

// expect: idempotent
// truth: idempotent
// why: fields that are read and fields that are written never meet
// args: f32[192]
__kernel void fields(__global body *b) {
  int i = (int)get_global_id(0);
  b[i].y = b[i].x * 2;
}

// expect: not
// truth: not
// why: a field is read and overwritten
// args: i32[192]
__kernel void field_in_place(__global body *b) {
  int i = (int)get_global_id(0);
  b[i].mass = b[i].mass + 1;
}

// expect: idempotent
// truth: idempotent
// why: lanes that are read and the lane that is written never meet
// args: f32[256]
__kernel void lanes(__global float4 *v) {
  int i = (int)get_global_id(0);
  v[i].w = v[i].x + v[i].y + v[i].z;
}

// expect: conditional 0-1
// truth: idempotent
// why: a whole structure is copied
// args: f32[192] f32[192]
__kernel void copy_structure(__global const body *a, __global body *b) {
  int i = (int)get_global_id(0);
  b[i] = a[i];
}

// expect: conditional 0-1
// truth: idempotent
// why: the pointer in the structure is one that the kernel put there
// args: f32[64] f32[64]
__kernel void pointer_inside(__global const float *a, __global float *b) {
  struct {
    __global float *to;
    int add;
  } s;
  s.to = b;
  s.add = 3;
  s.to[get_global_id(0)] = a[get_global_id(0)] + s.add;
}

// expect: conditional 0-1
// truth: idempotent
// why: an array of pointers, all of which lead to one argument
// args: f32[64] f32[64]
__kernel void pointer_array(__global const float *a, __global float *b) {
  __global float *parts[2];
  parts[0] = b;
  parts[1] = b + 32;
  int i = (int)get_global_id(0);
  parts[i / 32][i % 32] = a[i];
}

// expect: conditional 0-1
// truth: idempotent
// why: the same bytes, as another type
// args: i32[64] f32[64]
__kernel void other_type(__global const int *a, __global float *b) {
  int i = (int)get_global_id(0);
  ((__global int *)b)[i] = a[i];
  b[i] = as_float(as_int(b[i]) | 1);
}

// expect: conditional 0-1
// truth: idempotent
// why: doubles of single precision
// args: f32[64] f64[64]
__kernel void doubles(__global const float *a, __global double *b) {
  int i = (int)get_global_id(0);
  b[i] = a[i];
  b[i] *= 0.5;
}

// expect: conditional 0-1
// truth: idempotent
// why: bytes
// args: i32[16] i32[64]
__kernel void bytes(__global const uchar *a, __global uint *b) {
  int i = (int)get_global_id(0);
  b[i] = rotate((uint)a[i], 3u);
}

// expect: unknown
// truth: not
// why: a pointer that was made from a number
// args: f32[64]
__kernel void through_integer(__global float *a) {
  size_t where = (size_t)a + get_global_id(0) * sizeof(float);
  __global float *p = (__global float *)where;
  *p = *p + 1;
}

// expect: conditional 0-1
// truth: idempotent
// why: three lanes of four
// args: f32[256] f32[192]
__kernel void three_lanes(__global const float4 *a, __global float *b) {
  size_t i = get_global_id(0);
  vstore3(a[i].zyx, i, b);
}

typedef struct {
  int w;
  int h;
} extent;

typedef struct {
  int name;
  extent size;
} sheet;

int area(extent e) {
  e.w = e.w * e.h;
  return e.w;
}

// expect: conditional 0-1
// truth: idempotent
// why: parts of a structure are equal wherever they are handed on to
// args: i32<8>[192] i32[512]
__kernel void part_handed_on(__global const sheet *s, __global int *c) {
  int i = (int)get_global_id(0);
  sheet own = s[i];
  extent e = own.size;
  c[i * 8 + e.w] = area(own.size);
  c[i * 8 + s[i].size.w] += e.h;
}

// expect: not
// truth: not
// why: two parts of one structure differ
// args: i32<8>[192] i32[512]
__kernel void other_part(__global const sheet *s, __global int *c) {
  int i = (int)get_global_id(0);
  extent e = s[i].size;
  c[i * 8 + e.w] = 0;
  c[i * 8 + e.h] += 1;
}

// expect: not
// truth: not
// why: a part is changed once it was handed on
// args: i32<7>[192] i32[512]
__kernel void part_changed(__global const sheet *s, __global int *c) {
  int i = (int)get_global_id(0);
  sheet own = s[i];
  extent e = own.size;
  own.size.w++;
  c[i * 8 + e.w] = 0;
  c[i * 8 + own.size.w] += 1;
}

// expect: not
// truth: not
// why: two parts of a structure differ that was put together from parts
// args: i32[1024]
__kernel void own_parts(__global int *c) {
  int i = (int)get_global_id(0);
  sheet own;
  own.size.w = i * 16;
  own.size.h = i * 16 + 3;
  extent e = own.size;
  c[e.w] = 0;
  c[e.h] += 1;
}
