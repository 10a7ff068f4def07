// Belief propagation on a GPU: the messages of log_messages.py, in three algebras.
//
// The state is L_ai = ln r_ai = -beta h_hat_ai, one number an edge, and
// S_i = beta mu c_i + sum_b L_bi = -beta h_i, one an item, so that products never
// underflow on a hub. With X_ia = S_i - L_ai = -beta h_ia,
//
//     u_ia = 1 / (1 + e^-X),  v_ia = 1 / (1 + e^X),  r_ai = 1 - q_a prod_{j != i} u_ja.
//
// Having item j in front turns t, the r of the items behind it, into v_j + u_j t. Such
// maps (u, v) follow one another as (u u', v + u v'), and r_ai is what the maps of all
// items but i make of t = 1 - q_a. Only positive numbers are added: nothing cancels.
//
// LINEAR   plain numbers, while e^(-beta w) is one
// LOGS     logarithms of them, for any beta
// TROPICAL their limit at infinite beta, where the larger of two terms is their sum

#define MINUS_INFINITY (real) __longlong_as_double(0xfff0000000000000ull)

#if defined(LINEAR)
__device__ inline real one() { return 1; }
__device__ inline real zero() { return 0; }
__device__ inline real add(real x, real y) { return x + y; }
__device__ inline real mul(real x, real y) { return x * y; }
__device__ inline real to_log(real x) { return ln(x); }
__device__ inline void beliefs(real X, real &u, real &v) {
  real small = e_to(X >= 0 ? -X : X);
  real big = real(1) / (real(1) + small);
  small *= big;
  u = X >= 0 ? big : small;
  v = X >= 0 ? small : big;
}
#else
__device__ inline real one() { return 0; }
__device__ inline real zero() { return MINUS_INFINITY; }
__device__ inline real mul(real x, real y) { return x + y; }
__device__ inline real to_log(real x) { return x; }
#if defined(TROPICAL)
__device__ inline real add(real x, real y) { return x > y ? x : y; }
__device__ inline void beliefs(real X, real &u, real &v) {
  u = X < 0 ? X : 0;
  v = X > 0 ? -X : 0;
}
#else
__device__ inline real add(real x, real y) {
  real large = x > y ? x : y;
  real small = x > y ? y : x;
  return small == MINUS_INFINITY ? large : large + ln_1_plus(e_to(small - large));
}
__device__ inline void beliefs(real X, real &u, real &v) {
  real rest = ln_1_plus(e_to(X >= 0 ? -X : X));
  u = X >= 0 ? -rest : X - rest;
  v = X >= 0 ? -X - rest : -rest;
}
#endif
#endif

struct Map {
  real u, v;
};

__device__ inline Map after(Map first, Map second) {
  return {mul(first.u, second.u), add(first.v, mul(first.u, second.v))};
}

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

// Keep the most that a message of a part moved. Bits of numbers >= 0 order as they do.
__device__ inline void note_change(double *change, int part, float moved) {
  for (int step = 16; step > 0; step >>= 1) {
    int other_part = __shfl_down_sync(WHOLE_WARP, part, step);
    float other = __shfl_down_sync(WHOLE_WARP, moved, step);
    if (other_part == part) moved = fmaxf(moved, other);
  }
  int previous = __shfl_up_sync(WHOLE_WARP, part, 1);
  bool is_first = lane() == 0 || previous != part;
  volatile double *largest = change + (part < 0 ? 0 : part);
  if (part >= 0 && is_first && moved > *largest)
    atomicMax((unsigned long long *)largest, __double_as_longlong((double)moved));
}

extern "C" {

// S_i for the items listed, one thread each. Dues are beta mu c_i; `share` of what an
// item leaned to before is added to them.
__global__ void gather_thin(const int *items, int count, const int *start,
                            const int *edges, const real *L, const real *costs,
                            const int *part_of, const double *dues, double share,
                            real *S) {
  int k = blockIdx.x * blockDim.x + threadIdx.x;
  if (k >= count) return;
  int i = items ? items[k] : k;
  int first = start[i], last = start[i + 1];
  double sum = 0.0;
  int e = first;
  for (; e + 4 <= last; e += 4) {
    real x0 = L[edges[e]], x1 = L[edges[e + 1]];
    real x2 = L[edges[e + 2]], x3 = L[edges[e + 3]];
    sum += ((double)x0 + x1) + ((double)x2 + x3);
  }
  for (; e < last; ++e) sum += L[edges[e]];
  double due = dues[part_of ? part_of[i] : 0] * costs[i];
  S[i] = real(due + (share > 0.0 ? share * S[i] : 0.0) + sum);
}

// The same with a block an item.
__global__ void gather_hub(const int *items, int count, const int *start,
                           const int *edges, const real *L, const real *costs,
                           const int *part_of, const double *dues, double share,
                           real *S) {
  int i = items[blockIdx.x];
  double sum = 0.0;
  for (int e = start[i] + threadIdx.x; e < start[i + 1]; e += blockDim.x)
    sum += L[edges[e]];
  sum = block_sum(sum);
  if (threadIdx.x == 0) {
    double due = dues[part_of ? part_of[i] : 0] * costs[i];
    S[i] = real(due + (share > 0.0 ? share * S[i] : 0.0) + sum);
  }
}

// The marginal: that an item is in, given S_i. At zero temperature its sign decides.
__device__ inline double marginal(double S) {
#if defined(TROPICAL)
  return S < 0.0 ? 1.0 : S > 0.0 ? 0.0 : 0.5;
#else
  return falling_logistic(S);
#endif
}

// Cost times marginal, summed over each stretch of items of one part.
__global__ void spend(const int *stretch_start, const real *S, const real *costs,
                      double *spent) {
  double sum = 0.0;
  int last = stretch_start[blockIdx.x + 1];
  for (int i = stretch_start[blockIdx.x] + threadIdx.x; i < last; i += blockDim.x)
    sum += (double)costs[i] * marginal(S[i]);
  sum = block_sum(sum);
  if (threadIdx.x == 0) spent[blockIdx.x] = sum;
}

// Move the prices that nobody gave towards those that spend the budget: a block a part.
__global__ void adapt(const int *first_stretch, const double *spent,
                      const double *budgets, const double *scales, const int *is_free,
                      double step, double *prices, double *dues) {
  int part = blockIdx.x;
  if (!is_free[part]) return;
  double sum = 0.0;
  int last = first_stretch[part + 1];
  for (int k = first_stretch[part] + threadIdx.x; k < last; k += blockDim.x)
    sum += spent[k];
  sum = block_sum(sum);
  if (threadIdx.x == 0) {
    double excess = (sum - budgets[part]) / fmax(budgets[part], 1e-300);
    excess = fmin(1.0, fmax(-1.0, excess));
    prices[part] = fmin(prices[part], 1e300) * exp(step * excess);
    dues[part] = fmin(1e300, scales[part] * prices[part]);
  }
}

#define REPLY_THIN(NAME, MOST)                                                       \
  __global__ void NAME(const int *elements, int count, const int *start,             \
                       const int *items, const real *S, const real *unclaimed,       \
                       const int *part_of, real damping, real *L, double *change,    \
                       real *scratch) {                                              \
    int k = blockIdx.x * blockDim.x + threadIdx.x;                                   \
    int part = -1;                                                                   \
    float moved = 0;                                                                 \
    if (k < count) {                                                                 \
      int a = elements ? elements[k] : k;                                            \
      int first = start[a], size = start[a + 1] - first;                             \
      real old[MOST], t[MOST];                                                       \
      Map map[MOST];                                                                 \
      _Pragma("unroll") for (int j = 0; j < MOST; ++j) if (j < size) {               \
        old[j] = L[first + j];                                                       \
        map[j].u = S[items[first + j]];                                              \
      }                                                                              \
      _Pragma("unroll") for (int j = 0; j < MOST; ++j) if (j < size)                 \
          beliefs(map[j].u - old[j], map[j].u, map[j].v);                            \
      real behind = unclaimed[a];                                                    \
      _Pragma("unroll") for (int j = MOST - 1; j >= 0; --j) if (j < size) {          \
        t[j] = behind;                                                               \
        behind = add(map[j].v, mul(map[j].u, behind));                               \
      }                                                                              \
      Map before = {one(), zero()};                                                  \
      _Pragma("unroll") for (int j = 0; j < MOST; ++j) if (j < size) {               \
        real fresh = to_log(add(before.v, mul(before.u, t[j])));                     \
        fresh = fresh < 0 ? fresh : 0;                                               \
        before = after(before, map[j]);                                              \
        moved = fmaxf(moved, fabsf(float(fresh - old[j])));                          \
        L[first + j] = damped(old[j], fresh, damping);                               \
      }                                                                              \
      part = part_of ? part_of[a] : 0;                                               \
    }                                                                                \
    note_change(change, part, moved);                                                \
  }

REPLY_THIN(reply_4, 4)
REPLY_THIN(reply_16, 16)

// Elements of many items: a block each, in which every thread has some of the items.
__global__ void reply_hub(const int *elements, int count, const int *start,
                          const int *items, const real *S, const real *unclaimed,
                          const int *part_of, real damping, real *L, double *change,
                          real *scratch) {
  int a = elements[blockIdx.x];
  int first = start[a], last = start[a + 1];
  const Map nothing = {one(), zero()};
  Map own = nothing, map, before, behind;
  for (int e = first + threadIdx.x; e < last; e += blockDim.x) {
    beliefs(S[items[e]] - L[e], map.u, map.v);
    own = after(own, map);
  }
  others(own, before, behind);
  real t = add(behind.v, mul(behind.u, unclaimed[a]));
  int mine = (last - first - (int)threadIdx.x + (int)blockDim.x - 1) / (int)blockDim.x;
  for (int j = mine - 1; j >= 0; --j) {
    int e = first + threadIdx.x + j * blockDim.x;
    scratch[e] = t;
    beliefs(S[items[e]] - L[e], map.u, map.v);
    t = add(map.v, mul(map.u, t));
  }
  float moved = 0;
  for (int e = first + threadIdx.x; e < last; e += blockDim.x) {
    real old = L[e];
    beliefs(S[items[e]] - old, map.u, map.v);
    real fresh = to_log(add(before.v, mul(before.u, scratch[e])));
    fresh = fresh < 0 ? fresh : 0;
    before = after(before, map);
    moved = fmaxf(moved, fabsf(float(fresh - old)));
    L[e] = damped(old, fresh, damping);
  }
  note_change(change, part_of ? part_of[a] : 0, moved);
}

#if !defined(LINEAR)
// ln prod u (all out), ln{1 - prod u} (some in) and beta eta_a, eq. (BP4): a thread an
// element, for reading once.
__global__ void read_elements(int count, const int *start, const int *items,
                              const real *S, const real *unclaimed, const real *L,
                              real *log_out, real *log_in, real *field) {
  int a = blockIdx.x * blockDim.x + threadIdx.x;
  if (a >= count) return;
  Map all = {one(), zero()}, map;
  for (int e = start[a]; e < start[a + 1]; ++e) {
    beliefs(S[items[e]] - L[e], map.u, map.v);
    all = after(all, map);
  }
  real reply = add(all.v, mul(all.u, unclaimed[a]));
  log_out[a] = all.u;
  log_in[a] = all.v;
  field[a] = reply < 0 ? -reply : 0;
}
#endif

}  // extern "C"
