// What a selection covers.

extern "C" {

// How many of its items are chosen, counted up to `most`: one thread per element.
__global__ void cover(int count, const int *start, const int *items,
                      const signed char *chosen, int most, signed char *covered) {
  int a = blockIdx.x * blockDim.x + threadIdx.x;
  if (a >= count) return;
  signed char found = 0;
  for (int e = start[a]; e < start[a + 1] && found < most; ++e)
    found += chosen[items[e]];
  covered[a] = found;
}

}  // extern "C"
