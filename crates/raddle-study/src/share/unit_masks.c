/* Masks of compute units: each tenant launches on its own stream.
@TENANTS@
   Bit n of a mask is compute unit n. */
#include <hip/hip_runtime.h>

enum { TENANTS_OF_DEVICE = @COUNT@, MASK_WORDS = @WORDS@ };

hipError_t share_device(hipStream_t streams[TENANTS_OF_DEVICE])
{
    static const uint32_t masks[TENANTS_OF_DEVICE][MASK_WORDS] = {
        @MASKS@
    };
    for (int tenant = 0; tenant < TENANTS_OF_DEVICE; ++tenant) {
        hipError_t result =
            hipExtStreamCreateWithCUMask(&streams[tenant], MASK_WORDS, masks[tenant]);
        if (result != hipSuccess)
            return result;
    }
    return hipSuccess;
}
