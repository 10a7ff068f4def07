// What a selection covers.

extern "C" {

// Whether one of its items is chosen: one thread per element.
__global__ void cover(int count, const int *start, const int *items,
                      const signed char *chosen, signed char *covered) {
  int a = blockIdx.x * blockDim.x + threadIdx.x;
  if (a >= count) return;
  signed char found = 0;
  for (int e = start[a]; e < start[a + 1] && !found; ++e) found = chosen[items[e]];
  covered[a] = found;
}

}  // extern "C"
