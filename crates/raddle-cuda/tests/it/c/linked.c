// Does a program work that was linked with the driver?
#include <stdint.h>
#include <stdio.h>

int cuInit(unsigned), cuDevicePrimaryCtxRetain(void **, int), cuCtxSetCurrent(void *), cuCtxSynchronize(void);
int cuMemAlloc_v2(uint64_t *, uint64_t), cuMemcpyDtoH_v2(void *, uint64_t, uint64_t);
int cuModuleLoadData(void **, const void *), cuModuleGetFunction(void **, void *, const char *);
int cuLaunchKernel(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void *, void **, void **);

int main(void) {
    void *context, *module, *function;
    uint64_t p;
    uint32_t n = 4, v = 2, told[4];
    int bad = cuInit(0) | cuDevicePrimaryCtxRetain(&context, 0) | cuCtxSetCurrent(context) | cuMemAlloc_v2(&p, 16)
        | cuModuleLoadData(&module, "image") | cuModuleGetFunction(&function, module, "add");
    void *arguments[] = {&p, &n, &v};
    for (int i = 0; i < 20; i++) bad |= cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, 0, arguments, 0);
    bad |= cuCtxSynchronize() | cuMemcpyDtoH_v2(told, p, 16);
    printf("%d: %u %u %u %u\n", bad, told[0], told[1], told[2], told[3]);
    return 0;
}
