// The source of traps.ptx: nvrtc 12.9, --gpu-architecture=compute_52.
extern "C" __global__ void before(int *c, const int *idx, int n) {
  int prev;
#pragma unroll 1
  for (int k = 0; k < n; k++) { int cur = idx[k]; if (k > 0) { c[prev] = 0; c[cur] += 1; } prev = cur; }
}
extern "C" __global__ void bytes(char *out, const char *in, unsigned long long n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i + n] = in[i];
}
extern "C" __global__ void turn(int *a, int *b, int *c, const int *d, int n) {
  int i = threadIdx.x;
  int *p = a, *q = b, *r = c;
#pragma unroll 1
  for (int k = 0; k < n; k++) { p[i] = d[i] + k; int *t = p; p = q; q = r; r = t; }
}
struct given { int *p; int *q; int n; };
extern "C" __global__ void chosen(given s, int *out, int k) { int *p = k ? s.p : out; p[threadIdx.x] = 1; }
