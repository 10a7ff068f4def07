/** Converts offsets in code points, as the server has them, to UTF-16 units. */

/**
 * A function that slices a text by code points; the text is scanned once.
 * @param {string} text
 * @returns {(start: number, end?: number) => string}
 */
export function sliceByCodePoints(text) {
  const starts = startsOfPairs(text);
  if (!starts.length) return (start, end) => text.slice(start, end);
  const toUnits = (offset) => offset + numBefore(starts, offset);
  return (start, end) =>
    text.slice(toUnits(start), end === undefined ? undefined : toUnits(end));
}

/** Code point offsets of the characters that have two units, ascending. */
function startsOfPairs(text) {
  const starts = [];
  for (const match of text.matchAll(/[\u{10000}-\u{10FFFF}]/gu)) {
    starts.push(match.index - starts.length);
  }
  return starts;
}

/** Number of the ascending offsets that are below the given one. */
function numBefore(starts, offset) {
  let low = 0;
  let high = starts.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (starts[middle] < offset) low = middle + 1;
    else high = middle;
  }
  return low;
}
