// First-order descent of the dual bound on a GPU: the steps of dual.py, in its symbols.
//
// Values that change from step to step without the host are in `state`.

enum State { MU, LOW, HIGH, IS_SETTLED, PACE, NEXT_PACE };

constexpr double PRICE_TOLERANCE = 1e-3;

extern "C" {

// s_i = sum of the multipliers of the elements of i: one thread per listed item.
__global__ void add_thin(const int *items, int count, const int *start,
                         const int *elements, const real *y, real *s) {
  int k = blockIdx.x * blockDim.x + threadIdx.x;
  if (k >= count) return;
  int i = items ? items[k] : k;
  double sum = 0.0;
  int e = start[i], last = start[i + 1];
  for (; e + 4 <= last; e += 4) {
    real x0 = y[elements[e]], x1 = y[elements[e + 1]];
    real x2 = y[elements[e + 2]], x3 = y[elements[e + 3]];
    sum += ((double)x0 + x1) + ((double)x2 + x3);
  }
  for (; e < last; ++e) sum += y[elements[e]];
  s[i] = real(sum);
}

// The same with one block per item.
__global__ void add_hub(const int *items, int count, const int *start,
                        const int *elements, const real *y, real *s) {
  int i = items[blockIdx.x];
  double sum = 0.0;
  for (int e = start[i] + threadIdx.x; e < start[i + 1]; e += blockDim.x)
    sum += y[elements[e]];
  sum = block_sum(sum);
  if (threadIdx.x == 0) s[i] = real(sum);
}

// sigma_i and T times the curvature that item i adds, at the present price; per block,
// sum c sigma and sum c^2 sigma (1 - sigma). Skipped once the price has converged.
__global__ void choose(int count, const int *degrees, const real *s, const real *c,
                       double K, double T, double least_curvature,
                       const double *state, real *choice, double *sums) {
  if (state[IS_SETTLED] != 0.0) return;
  double mu = state[MU], cost = 0.0, slope = 0.0;
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count && c[i] <= K) {
    double sigma = falling_logistic((mu * c[i] - s[i]) / T);
    double spread = sigma * (1.0 - sigma);
    choice[2 * i] = real(sigma);
    choice[2 * i + 1] = real(fmax(least_curvature, spread) * degrees[i]);
    cost = c[i] * sigma;
    slope = (double)c[i] * c[i] * spread;
  }
  cost = block_sum(cost);
  slope = block_sum(slope);
  if (threadIdx.x == 0) {
    sums[2 * blockIdx.x] = cost;
    sums[2 * blockIdx.x + 1] = slope;
  }
}

// One Newton step of the price, safeguarded by bisection: one block.
__global__ void move_price(int blocks, const double *sums, double K, double T,
                           double *state) {
  if (state[IS_SETTLED] != 0.0) return;
  double cost = 0.0, slope = 0.0;
  for (int k = threadIdx.x; k < blocks; k += blockDim.x) {
    cost += sums[2 * k];
    slope += sums[2 * k + 1];
  }
  cost = block_sum(cost);
  slope = block_sum(slope);
  if (threadIdx.x != 0) return;
  double mu = state[MU], low = state[LOW], high = state[HIGH], excess = cost - K;
  if (fabs(excess) <= PRICE_TOLERANCE * K || (excess <= 0.0 && mu <= 0.0)) {
    state[IS_SETTLED] = 1.0;
    return;
  }
  if (excess > 0.0) low = mu;
  else high = mu;
  if (slope > 0.0) mu += T * excess / slope;
  // While no price was too high: increase it, at most fourfold.
  if (high < 0.0) mu = fmax(fmin(mu, 4.0 * low + T), 1.1 * low + 0.1 * T);
  else if (!(low < mu && mu < high)) mu = low <= 1e-9 * high ? 0.0 : 0.5 * (low + high);
  state[MU] = mu;
  state[LOW] = low;
  state[HIGH] = high;
}

// Reset the search for the price.
__global__ void begin_step(double *state) {
  state[LOW] = 0.0;
  state[HIGH] = -1.0;
  state[IS_SETTLED] = 0.0;
  state[NEXT_PACE] = 0.5 * (1.0 + sqrt(1.0 + 4.0 * state[PACE] * state[PACE]));
}

// Update every multiplier; per block, how far the momentum points uphill.
__device__ inline double moved(int a, double slope, double curvature, double T,
                               double momentum, const real *w, real *lam, real *y) {
  if (curvature == 0.0) return 0.0;
  double fresh = y[a] - T / curvature * slope;
  fresh = fmax(0.0, fmin((double)w[a], fresh));
  double way = fresh - lam[a];
  double uphill = (y[a] - fresh) * curvature * way;
  y[a] = real(fresh + momentum * way);
  lam[a] = real(fresh);
  return uphill;
}

__global__ void step_thin(const int *elements, int count, const int *start,
                          const int *items, const real *choice, double T,
                          const double *state, const real *w, real *lam, real *y,
                          double *sums) {
  int k = blockIdx.x * blockDim.x + threadIdx.x;
  double uphill = 0.0;
  if (k < count) {
    int a = elements ? elements[k] : k;
    double slope = -1.0, curvature = 0.0;
    for (int e = start[a]; e < start[a + 1]; ++e) {
      slope += choice[2 * items[e]];
      curvature += choice[2 * items[e] + 1];
    }
    double momentum = (state[PACE] - 1.0) / state[NEXT_PACE];
    uphill = moved(a, slope, curvature, T, momentum, w, lam, y);
  }
  uphill = block_sum(uphill);
  if (threadIdx.x == 0) sums[blockIdx.x] = uphill;
}

__global__ void step_hub(const int *elements, int count, const int *start,
                         const int *items, const real *choice, double T,
                         const double *state, const real *w, real *lam, real *y,
                         double *sums) {
  int a = elements[blockIdx.x];
  double slope = 0.0, curvature = 0.0;
  for (int e = start[a] + threadIdx.x; e < start[a + 1]; e += blockDim.x) {
    slope += choice[2 * items[e]];
    curvature += choice[2 * items[e] + 1];
  }
  slope = block_sum(slope);
  curvature = block_sum(curvature);
  if (threadIdx.x == 0) {
    double momentum = (state[PACE] - 1.0) / state[NEXT_PACE];
    sums[blockIdx.x] = moved(a, slope - 1.0, curvature, T, momentum, w, lam, y);
  }
}

// Restart momentum that points uphill: one block.
__global__ void end_step(int blocks, const double *sums, double *state) {
  double uphill = 0.0;
  for (int k = threadIdx.x; k < blocks; k += blockDim.x) uphill += sums[k];
  uphill = block_sum(uphill);
  if (threadIdx.x == 0) state[PACE] = uphill > 0.0 ? 1.0 : state[NEXT_PACE];
}

}  // extern "C"
