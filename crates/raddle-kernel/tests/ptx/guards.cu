// The source of guards.ptx: nvrtc 12.9, --gpu-architecture=compute_52.
// Named as the kernels of the corpus in OpenCL C that do the same.
#define INDEX (blockIdx.x * blockDim.x + threadIdx.x)
extern "C" __global__ void guard_last(int *todo, int *done) {
  int i = INDEX;
  if (todo[i]) { done[i] = 1; todo[i] = 0; }
}
extern "C" __global__ void guard_number(unsigned char *state, int *done, const int *from) {
  int i = INDEX;
  if (state[i] == 1) { done[i] = from[i]; state[i] = 2; }
}
extern "C" __global__ void guard_of_search(int *todo, int *done, int *over, int *seen) {
  size_t i = INDEX;
  if (i < 60 && todo[i] == 1) { done[2 * i] = 1; done[2 * i + 1] = 2; seen[i] = 1; *over = 1; todo[i] = 0; }
}
extern "C" __global__ void guard_stays_on(int *todo, int *done) {
  int i = INDEX;
  if (todo[i] != 3) { done[i] = todo[i]; todo[i] = 2; }
}
extern "C" __global__ void guard_of_two(int *todo, int *done) {
  int i = INDEX;
  if (todo[i / 2]) { done[i] = 1; todo[i / 2] = 0; }
}
extern "C" __global__ void guard_of_groups(int *todo, int *done) {
  int i = threadIdx.x;
  if (todo[i]) { done[INDEX] = 1; todo[i] = 0; }
}
extern "C" __global__ void guard_of_blocks(int *todo, int *done) {
  int i = blockIdx.x * 48 + threadIdx.x;
  if (todo[i]) { done[i] = 1; todo[i] = 0; }
}
extern "C" __global__ void guard_of_column(int *todo, int *done) {
  int i = INDEX;
  if (todo[i]) { done[i * 8 + threadIdx.y] = 1; todo[i] = 0; }
}
extern "C" __global__ void guard_early(int *todo, int *done, int n) {
  int i = INDEX;
  if (todo[i]) { todo[i] = 0; if (n > 2) done[i] = 1; }
}
extern "C" __global__ void guard_shared_sum(int *todo, int *done) {
  int i = INDEX;
  if (todo[i]) { done[0] = i; todo[i] = 0; }
}
extern "C" __global__ void guard_overlap(int *todo, int *done) {
  int i = INDEX;
  if (todo[i]) { done[i] = 1; done[i + 1] = 2; todo[i] = 0; }
}
extern "C" __global__ void guard_narrow(int *todo, int *done) {
  unsigned char i = INDEX;
  if (todo[i]) { done[INDEX] = 1; todo[i] = 0; }
}
extern "C" __global__ void guard_and_more(int *todo, int *done) {
  int i = INDEX;
  done[i] = todo[i];
  if (todo[i]) todo[i] = 0;
}
extern "C" __global__ void guard_meets(int *todo, int *done) {
  __shared__ int seen[8];
  int i = INDEX;
  seen[threadIdx.x] = todo[i];
  __syncthreads();
  if (todo[i]) { done[i] = seen[7 - threadIdx.x]; todo[i] = 0; }
}
