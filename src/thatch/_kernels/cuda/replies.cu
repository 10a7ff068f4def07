// Replies of elements to their items.

__device__ inline Map shifted_up(Map map, int step) {
  return {__shfl_up_sync(WHOLE_WARP, map.u, step),
          __shfl_up_sync(WHOLE_WARP, map.v, step)};
}

__device__ inline Map shifted_down(Map map, int step) {
  return {__shfl_down_sync(WHOLE_WARP, map.u, step),
          __shfl_down_sync(WHOLE_WARP, map.v, step)};
}

// Replace a thread's own map by those of all threads before it and all after it.
__device__ inline void others(Map own, Map &before, Map &behind) {
  __shared__ Map of_warp[MOST_WARPS];
  const Map nothing = {one(), zero()};
  Map ahead = own, back = own;
  for (int step = 1; step < 32; step <<= 1) {
    Map left = shifted_up(ahead, step), right = shifted_down(back, step);
    if (lane() >= step) ahead = after(left, ahead);
    if (lane() + step < 32) back = after(back, right);
  }
  __syncthreads();
  if (lane() == 31) of_warp[warp()] = ahead;
  __syncthreads();
  before = shifted_up(ahead, 1);
  behind = shifted_down(back, 1);
  if (lane() == 0) before = nothing;
  if (lane() == 31) behind = nothing;
  for (int k = warp() - 1; k >= 0; --k) before = after(of_warp[k], before);
  for (int k = warp() + 1; k < num_warps(); ++k) behind = after(behind, of_warp[k]);
}

__device__ inline real damped(real old, real fresh, real damping) {
  return damping * old + (real(1) - damping) * fresh;
}

// Keep the largest change of a message of a problem. Bits of numbers >= 0 order as they do.
__device__ inline void note_change(double *change, int problem, float moved) {
  for (int step = 16; step > 0; step >>= 1) {
    int other_problem = __shfl_down_sync(WHOLE_WARP, problem, step);
    float other = __shfl_down_sync(WHOLE_WARP, moved, step);
    if (other_problem == problem) moved = fmaxf(moved, other);
  }
  int previous = __shfl_up_sync(WHOLE_WARP, problem, 1);
  bool is_first = lane() == 0 || previous != problem;
  volatile double *largest = change + (problem < 0 ? 0 : problem);
  if (problem >= 0 && is_first && moved > *largest)
    atomicMax((unsigned long long *)largest, __double_as_longlong((double)moved));
}

// An element of at most MOST items, all of it in the registers of one thread.
template <int MOST>
__device__ inline void reply_thin(const int *elements, int count, const int *start,
                                  const int *items, const int *places, const real *S,
                                  const real *unclaimed, const int *problem_of,
                                  real damping, real *L, double *change) {
  int k = blockIdx.x * blockDim.x + threadIdx.x;
  int problem = -1;
  float moved = 0;
  if (k < count) {
    int a = elements ? elements[k] : k;
    int first = start[a], size = start[a + 1] - first;
    int place[MOST];
    real old[MOST], t[MOST];
    Map map[MOST];
#pragma unroll
    for (int j = 0; j < MOST; ++j)
      if (j < size) {
        place[j] = place_of(places, first + j);
        old[j] = L[place[j]];
        beliefs(S[items[first + j]] - old[j], map[j].u, map[j].v);
      }
    real behind = unclaimed[a];
#pragma unroll
    for (int j = MOST - 1; j >= 0; --j)
      if (j < size) {
        t[j] = behind;
        behind = add(map[j].v, mul(map[j].u, behind));
      }
    Map before = {one(), zero()};
#pragma unroll
    for (int j = 0; j < MOST; ++j)
      if (j < size) {
        real fresh = to_log(add(before.v, mul(before.u, t[j])));
        fresh = fresh < 0 ? fresh : 0;
        before = after(before, map[j]);
        moved = fmaxf(moved, fabsf(float(fresh - old[j])));
        L[place[j]] = damped(old[j], fresh, damping);
      }
    problem = problem_of ? problem_of[a] : 0;
  }
  note_change(change, problem, moved);
}

extern "C" {

__global__ void reply_4(const int *elements, int count, const int *start,
                        const int *items, const int *places, const real *S,
                        const real *unclaimed, const int *problem_of, real damping,
                        real *L, double *change, real *) {
  reply_thin<4>(elements, count, start, items, places, S, unclaimed, problem_of, damping,
                L, change);
}

__global__ void reply_16(const int *elements, int count, const int *start,
                         const int *items, const int *places, const real *S,
                         const real *unclaimed, const int *problem_of, real damping,
                         real *L, double *change, real *) {
  reply_thin<16>(elements, count, start, items, places, S, unclaimed, problem_of, damping,
                 L, change);
}

// Elements of many items: one block each, whose threads share the items.
__global__ void reply_hub(const int *elements, int count, const int *start,
                          const int *items, const int *places, const real *S,
                          const real *unclaimed, const int *problem_of, real damping,
                          real *L, double *change, real *scratch) {
  int a = elements[blockIdx.x];
  int first = start[a], last = start[a + 1];
  const Map nothing = {one(), zero()};
  Map own = nothing, map, before, behind;
  for (int e = first + threadIdx.x; e < last; e += blockDim.x) {
    beliefs(S[items[e]] - L[place_of(places, e)], map.u, map.v);
    own = after(own, map);
  }
  others(own, before, behind);
  real t = add(behind.v, mul(behind.u, unclaimed[a]));
  int mine = (last - first - (int)threadIdx.x + (int)blockDim.x - 1) / (int)blockDim.x;
  for (int j = mine - 1; j >= 0; --j) {
    int e = first + threadIdx.x + j * blockDim.x;
    scratch[e] = t;
    beliefs(S[items[e]] - L[place_of(places, e)], map.u, map.v);
    t = add(map.v, mul(map.u, t));
  }
  float moved = 0;
  for (int e = first + threadIdx.x; e < last; e += blockDim.x) {
    real old = L[place_of(places, e)];
    beliefs(S[items[e]] - old, map.u, map.v);
    real fresh = to_log(add(before.v, mul(before.u, scratch[e])));
    fresh = fresh < 0 ? fresh : 0;
    before = after(before, map);
    moved = fmaxf(moved, fabsf(float(fresh - old)));
    L[place_of(places, e)] = damped(old, fresh, damping);
  }
  note_change(change, problem_of ? problem_of[a] : 0, moved);
}

}  // extern "C"
