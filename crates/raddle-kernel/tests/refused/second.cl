// One kernel for each construct of OpenCL C 2.0 that is refused; the line that decides says what is expected.

__kernel void from_a_pipe(__read_only pipe int p, __global int *c) {
  read_pipe(p, c); // REFUSED not: it uses a pipe
}

__kernel void to_a_pipe(__write_only pipe int p, __global int *c) {
  write_pipe(p, c); // REFUSED not: it uses a pipe
}

__kernel void enqueues(__global int *c) {
  queue_t queue = get_default_queue();
  enqueue_kernel(queue, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(4), ^{ c[0] = 1; }); // REFUSED unknown: it enqueues a kernel
}

__kernel void one_image(__read_write image2d_t picture) {
  int2 at = (int2)((int)get_global_id(0), 0);
  float4 was = read_imagef(picture, at);
  write_imagef(picture, at, was); // REFUSED unknown: `picture` is read and overwritten at places that cannot be told apart
}

__kernel void explicit_atomic(__global atomic_int *c) {
  atomic_store(c, 1); // REFUSED not: an atomic operation on global memory
}

__global int total[64];

__kernel void variable_of_the_program(int n) {
  total[get_global_id(0)] += n; // REFUSED not: `a variable of the program` is read, changed and overwritten in place
}
