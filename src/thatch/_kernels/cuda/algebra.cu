// Belief propagation on a GPU: the messages of log_messages.py, in three algebras.
//
// The state is L_ai = ln r_ai = -beta h_hat_ai, one number per edge, and
// S_i = beta mu c_i + sum_b L_bi = -beta h_i, one per item, so that products never
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
// TROPICAL their limit at infinite beta, where a maximum replaces the sum

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

// Where the message of an edge is: messages may be in another order than edges.
__device__ inline int place_of(const int *places, int e) { return places ? places[e] : e; }
