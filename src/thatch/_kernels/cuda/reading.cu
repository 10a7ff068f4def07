// Beliefs of elements by the final messages. Not in the algebra LINEAR, where prod u of a
// hub underflows.

extern "C" {

// ln prod u (all out), ln{1 - prod u} (some in) and beta eta_a, eq. (BP4): one thread
// per element, since it runs once.
__global__ void read_elements(int count, const int *start, const int *items,
                              const int *places, const real *S, const real *unclaimed,
                              const real *L, real *log_out, real *log_in, real *field) {
  int a = blockIdx.x * blockDim.x + threadIdx.x;
  if (a >= count) return;
  Map all = {one(), zero()}, map;
  for (int e = start[a]; e < start[a + 1]; ++e) {
    beliefs(S[items[e]] - L[place_of(places, e)], map.u, map.v);
    all = after(all, map);
  }
  real reply = add(all.v, mul(all.u, unclaimed[a]));
  log_out[a] = all.u;
  log_in[a] = all.v;
  field[a] = reply < 0 ? -reply : 0;
}

}  // extern "C"
