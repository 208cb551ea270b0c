#pragma once

/// Marks a function that a CUDA kernel may call, too.
#ifdef __CUDACC__
#define DDP_HOST_DEVICE __host__ __device__
#else
#define DDP_HOST_DEVICE
#endif
