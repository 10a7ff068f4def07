// Sums of the messages at items, and the adaptation of prices.

// Far beyond any relevant value, and far from overflow.
constexpr double LARGEST = sizeof(real) == 4 ? 1e37 : 1e300;

__device__ inline double cut(double x) { return fmin(LARGEST, fmax(-LARGEST, x)); }

// Dues are beta mu, times c_i; `share` of the last field is added.
__device__ inline void gather_one(int i, double sum, const double *costs,
                                  const int *problem_of, const double *dues, double share,
                                  real *S) {
  double due = cut(dues[problem_of ? problem_of[i] : 0] * costs[i]);
  S[i] = real(cut(due + (share > 0.0 ? share * S[i] : 0.0) + sum));
}

extern "C" {

// S_i for the items listed, one thread each.
__global__ void gather_thin(const int *items, int count, const int *start,
                            const int *edges, const real *L, const double *costs,
                            const int *problem_of, const double *dues, double share,
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
  gather_one(i, sum, costs, problem_of, dues, share, S);
}

// The same with one block per item.
__global__ void gather_hub(const int *items, int count, const int *start,
                           const int *edges, const real *L, const double *costs,
                           const int *problem_of, const double *dues, double share,
                           real *S) {
  int i = items[blockIdx.x];
  double sum = 0.0;
  for (int e = start[i] + threadIdx.x; e < start[i + 1]; e += blockDim.x)
    sum += L[edges[e]];
  sum = block_sum(sum);
  if (threadIdx.x == 0) gather_one(i, sum, costs, problem_of, dues, share, S);
}

// The marginal: that an item is in, given S_i. At zero temperature its sign decides.
__device__ inline double marginal(double S) {
#if defined(TROPICAL)
  return S < 0.0 ? 1.0 : S > 0.0 ? 0.0 : 0.5;
#else
  return falling_logistic(S);
#endif
}

// Cost times marginal, summed over each segment of items of one problem.
__global__ void spend(const int *segment_start, const real *S, const double *costs,
                      double *spent) {
  double sum = 0.0;
  int last = segment_start[blockIdx.x + 1];
  for (int i = segment_start[blockIdx.x] + threadIdx.x; i < last; i += blockDim.x)
    sum += costs[i] * marginal(S[i]);
  sum = block_sum(sum);
  if (threadIdx.x == 0) spent[blockIdx.x] = sum;
}

// Adapt free prices towards those that spend the budget: one block per problem.
__global__ void adapt(const int *first_segment, const double *spent,
                      const double *budgets, const double *scales, const int *is_free,
                      double step, double *prices, double *dues) {
  int problem = blockIdx.x;
  if (!is_free[problem]) return;
  double sum = 0.0;
  int last = first_segment[problem + 1];
  for (int k = first_segment[problem] + threadIdx.x; k < last; k += blockDim.x)
    sum += spent[k];
  sum = block_sum(sum);
  if (threadIdx.x == 0) {
    double excess = (sum - budgets[problem]) / fmax(budgets[problem], 1e-300);
    excess = fmin(1.0, fmax(-1.0, excess));
    prices[problem] = fmin(prices[problem], 1e300) * exp(step * excess);
    dues[problem] = fmin(1e300, scales[problem] * prices[problem]);
  }
}

}  // extern "C"
