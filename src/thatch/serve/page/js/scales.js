/** Scales of charts: positions of numbers, and round numbers for the axes. */

/**
 * @typedef {object} Scale
 * @property {(value: number) => number} toPlace
 * @property {(place: number) => number} toValue
 * @property {number[]} ticks round numbers, ascending
 */

/**
 * A linear scale.
 * @param {[number, number]} domain
 * @param {[number, number]} range in pixels
 * @param {number} numTicks about how many
 * @returns {Scale}
 */
export function linearScale([low, high], [first, last], numTicks) {
  const span = high - low || 1;
  return {
    toPlace: (value) => first + ((value - low) / span) * (last - first),
    toValue: (place) => low + ((place - first) / (last - first)) * span,
    ticks: roundNumbers(low, high, numTicks),
  };
}

/**
 * A logarithmic scale.
 * @param {[number, number]} domain both above 0
 * @param {[number, number]} range in pixels
 * @param {number} numTicks about how many
 * @returns {Scale}
 */
export function logScale([low, high], range, numTicks) {
  const inner = linearScale([Math.log10(low), Math.log10(high)], range, numTicks);
  const powers = [];
  const first = Math.ceil(Math.log10(low) - 1e-9);
  const last = Math.floor(Math.log10(high) + 1e-9);
  const step = Math.max(1, Math.ceil((last - first) / numTicks));
  for (let power = first; power <= last; power += step) powers.push(10 ** power);
  const between = [2, 5].flatMap((factor) =>
    Array.from({ length: last - first + 2 }, (_, k) => factor * 10 ** (first - 1 + k)))
    .filter((value) => value >= low && value <= high);
  const isSparse = powers.length + between.length <= 2 * numTicks;
  return {
    toPlace: (value) => inner.toPlace(Math.log10(Math.max(value, low))),
    toValue: (place) => 10 ** inner.toValue(place),
    ticks: (isSparse ? [...powers, ...between] : powers).sort((one, other) => one - other),
  };
}

/**
 * Multiples of 1, 2 or 5 times a power of ten between two numbers.
 * @param {number} low
 * @param {number} high
 * @param {number} count about how many
 * @returns {number[]}
 */
function roundNumbers(low, high, count) {
  const rough = (high - low) / Math.max(count, 1);
  if (!(rough > 0)) return [low];
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * ([1, 2, 5].find((factor) => factor * power >= rough) ?? 10);
  const numbers = [];
  for (let k = Math.ceil(low / step - 1e-9); k * step <= high + 1e-9 * step; k += 1) {
    numbers.push(Number((k * step).toPrecision(12)));
  }
  return numbers;
}
