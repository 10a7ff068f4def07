// Shared by all kernels: number types, and operations of the threads of a block.
//
// Compiled with -DREAL=float or -DREAL=double. Sums are kept in doubles. Starts and edge
// numbers are 32 bits wide. Blocks have a whole number of warps, at most 32.

typedef REAL real;

constexpr unsigned WHOLE_WARP = 0xffffffffu;
constexpr int MOST_WARPS = 32;

__device__ inline int lane() { return threadIdx.x & 31; }
__device__ inline int warp() { return threadIdx.x >> 5; }
__device__ inline int num_warps() { return blockDim.x >> 5; }

// Overloads for both precisions.
__device__ inline float e_to(float x) { return expf(x); }
__device__ inline double e_to(double x) { return ::exp(x); }
__device__ inline float ln(float x) { return logf(x); }
__device__ inline double ln(double x) { return ::log(x); }
__device__ inline float ln_1_plus(float x) { return log1pf(x); }
__device__ inline double ln_1_plus(double x) { return ::log1p(x); }

// Sum over the block, for its first thread.
__device__ inline double block_sum(double x) {
  __shared__ double sums[MOST_WARPS];
  for (int step = 16; step > 0; step >>= 1) x += __shfl_down_sync(WHOLE_WARP, x, step);
  __syncthreads();
  if (lane() == 0) sums[warp()] = x;
  __syncthreads();
  double total = 0.0;
  if (threadIdx.x == 0)
    for (int k = 0; k < num_warps(); ++k) total += sums[k];
  return total;
}

// 1 / (1 + e^x) for doubles, without overflow.
__device__ inline double falling_logistic(double x) {
  double small = exp(-fabs(x));
  return (x >= 0.0 ? small : 1.0) / (1.0 + small);
}
