/* Execution contexts of CUDA: each tenant launches on its own stream.
@TENANTS@
   Multiprocessors are split into groups of 8 or what the device takes for that; what is left over goes to
   the last tenant. They are exclusive only if every tenant launches on its stream. Link with -lcuda. */
#include <cuda.h>

enum { TENANTS_OF_DEVICE = @COUNT@, MOST_GROUPS = 128 };

CUresult share_device(CUdevice device, CUstream streams[TENANTS_OF_DEVICE])
{
    static const unsigned int wanted[TENANTS_OF_DEVICE] = { @UNITS@ };
    CUdevResource all, groups[MOST_GROUPS + 1];
    unsigned int count = MOST_GROUPS, first = 0, units = 0;
    CUresult result = cuDeviceGetDevResource(device, &all, CU_DEV_RESOURCE_TYPE_SM);
    if (result != CUDA_SUCCESS)
        return result;
    groups[MOST_GROUPS].type = CU_DEV_RESOURCE_TYPE_INVALID;
    result = cuDevSmResourceSplitByCount(groups, &count, &all, &groups[MOST_GROUPS], 0, 8);
    if (result != CUDA_SUCCESS)
        return result;
    if (count < TENANTS_OF_DEVICE)
        return CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION;
    for (unsigned int tenant = 0; tenant < TENANTS_OF_DEVICE; ++tenant) {
        unsigned int others = TENANTS_OF_DEVICE - 1 - tenant, end;
        CUdevResourceDesc description;
        CUgreenCtx context;
        units += wanted[tenant];
        end = (units * count + all.sm.smCount / 2) / all.sm.smCount;
        if (end <= first)
            end = first + 1;
        if (end > count - others)
            end = count - others;
        if (others == 0) {
            end = count;
            if (groups[MOST_GROUPS].type == CU_DEV_RESOURCE_TYPE_SM &&
                groups[MOST_GROUPS].sm.smCount > 0)
                groups[end++] = groups[MOST_GROUPS];
        }
        result = cuDevResourceGenerateDesc(&description, &groups[first], end - first);
        if (result == CUDA_SUCCESS)
            result = cuGreenCtxCreate(&context, description, device, CU_GREEN_CTX_DEFAULT_STREAM);
        if (result == CUDA_SUCCESS)
            result = cuGreenCtxStreamCreate(&streams[tenant], context, CU_STREAM_NON_BLOCKING, 0);
        if (result != CUDA_SUCCESS)
            return result;
        first = end;
    }
    return CUDA_SUCCESS;
}
