// The kernels of device.py for OpenCL.

// Copies the vectors from `begin` to `end`.
kernel void copy(global float4 *to, global const float4 *from, ulong begin, ulong end)
{
    for (ulong at = begin + get_global_id(0); at < end; at += get_global_size(0))
        to[at] = from[at];
}

kernel void nothing(void)
{
}
