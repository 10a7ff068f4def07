/** Where the problem comes from: samples, and tables and problem files of the user. */

import { RejectedError, pageFile, post, readProblem } from "./api.js";
import { cutOf } from "./coverage_map.js";
import { dataOf } from "./coverage_model.js";
import { formatNumber } from "./formats.js";

const KILOMETERS_PER_DEGREE = 111.2;
// Of the extent of all points: a first reach, until the user sets one.
const FIRST_REACH = 1 / 8;
const UNPROCESSABLE = 422;
// Spreadsheets, pictures and programs have null bytes near their beginning.
const BYTES_TO_CHECK = 8000;
const SITES = /site|facilit|candidate|station|location/i;
const DEMAND = /demand|people|popul|client|customer|place|home|resident|household/i;

/**
 * @typedef {{name: string, text: string}} Table
 *
 * @typedef {object} Source
 * @property {number} id differs between sources
 * @property {string} sample its name, or ""
 * @property {Table[]} tables all that were opened
 * @property {number} sites position of the table of sites
 * @property {number} demand position of the table of demand; the same for both in one
 * @property {File | null} file a problem file
 * @property {Uint8Array | null} content of that file, if it is the user's
 */

/** Samples by name, each with the settings that it is shown with. */
export const SAMPLES = {
  island: {
    title: "Invented island: 40 sites, 180 places",
    tables: ["island-sites.csv", "island-places.csv"],
    settings: { reach: 8, budget: 5, isCounted: true },
  },
  "help-desk": {
    title: "Help desk: 12 people, 14 languages",
    problem: "help-desk.json",
    settings: { budget: 6, isCounted: false },
  },
};

/** The sample of a fresh page. */
export const FIRST_SAMPLE = Object.keys(SAMPLES)[0];

let numSources = 0;

/**
 * A sample as a source.
 * @param {string} sample
 * @returns {Promise<Source>}
 */
export async function sampleSource(sample) {
  const { tables = [], problem } = SAMPLES[sample];
  const texts = await Promise.all([...tables, ...(problem ? [problem] : [])]
    .map((name) => pageFile(`samples/${name}`)));
  return sourceOf({
    sample,
    tables: tables.map((name, k) => ({ name, text: texts[k] })),
    demand: tables.length - 1,
    file: problem ? new File([texts.at(-1)], problem) : null,
  });
}

/**
 * Files of the user as a source. The table before stays open, so that sites and demand can
 * be opened one after the other, and both are used if their names say which is which.
 * @param {File[]} files
 * @param {Source | null} before
 * @returns {Promise<Source>}
 */
export async function filesSource(files, before) {
  const isTable = ({ name }) => /\.(csv|tsv)$/i.test(name);
  const contents = await Promise.all(files.map(async (file) =>
    new Uint8Array(await file.arrayBuffer())));
  files.forEach((file, k) => requireReadable(file.name, contents[k]));
  const problem = files.findIndex((file) => !isTable(file));
  if (problem >= 0) return sourceOf({ file: files[problem], content: contents[problem] });
  const opened = files.map((file, k) => ({ name: file.name, text: decoded(contents[k]) }));
  const kept = before && !before.sample && files.length === 1 ? before.tables : [];
  const names = new Set(opened.map(({ name }) => name));
  const tables = [...kept.filter(({ name }) => !names.has(name)).slice(-1), ...opened];
  const isPair = opened.length > 1 || (tables.some(({ name }) => SITES.test(name))
    && tables.some(({ name }) => DEMAND.test(name)));
  const last = tables.length - 1;
  return sourceOf({ tables, ...(isPair ? rolesOf(tables) : { sites: last, demand: last }) });
}

/**
 * A source with its own number.
 * @param {Partial<Source>} given
 * @returns {Source}
 */
export function sourceOf(given) {
  numSources += 1;
  const nothing = { sample: "", tables: [], sites: 0, demand: 0, file: null, content: null };
  return Object.freeze({ ...nothing, ...given, id: numSources });
}

/** Reject pictures, PDFs and the like, of which the server knows only that they are no text. */
function requireReadable(name, content) {
  if (/\.npz$/i.test(name)) return;
  const start = content.subarray(0, BYTES_TO_CHECK);
  const isPdf = new TextDecoder().decode(start.subarray(0, 5)) === "%PDF-";
  if (!isPdf && !start.includes(0)) return;
  throw new RejectedError(UNPROCESSABLE, {
    error: `${name} is not a table or a problem file.`,
    hint: "Open CSV tables of sites and demand, or a problem file (JSON, NPZ or text).",
  });
}

/** Spreadsheets on Windows save tables in its own encoding. */
function decoded(content) {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(content);
  } catch {
    return new TextDecoder("windows-1252").decode(content);
  }
}

/** Which table has the sites, by names of files, or else the shorter one. */
function rolesOf(tables) {
  if (tables.length < 2) return { sites: 0, demand: 0 };
  const by = (pattern) => tables.findIndex(({ name }) => pattern.test(name));
  const lengths = tables.map(({ text }) => text.length);
  const shortest = lengths.indexOf(Math.min(...lengths));
  const demand = by(DEMAND);
  const named = by(SITES);
  const sites = named >= 0 && named !== demand ? named : shortest;
  const other = tables.findIndex((_, k) => k !== sites);
  return { sites, demand: demand >= 0 && demand !== sites ? demand : other };
}

/**
 * Whether a reach decides what is covered.
 * @param {Source} source
 * @returns {boolean}
 */
export function hasReach({ file }) {
  return file === null;
}

/**
 * Read the problem of a source.
 * @param {Source} source
 * @param {{reach: number | null, costColumn: string | null, weightColumn: string | null}} settings
 * @param {string} key
 * @param {AbortSignal} signal
 * @returns {Promise<import("./coverage_model.js").Data>}
 */
export async function readSource(source, { reach, costColumn, weightColumn }, key, signal) {
  if (source.file) return dataOf(await readProblem(source.file, signal), key, "");
  const { tables, sites, demand } = source;
  const request = {
    sites: tables[sites],
    demand: sites === demand ? null : tables[demand],
    cost_column: costColumn,
    weight_column: weightColumn,
    // Kilometers, unless the coordinates are x and y: only the server knows that.
    radius: 0,
  };
  const isGeographic = await isOnEarth(source, request, signal);
  const answer = await post(
    "locate", { ...request, radius: (reach ?? 0) * (isGeographic ? 1000 : 1) }, signal);
  return dataOf(answer, key, `${formatNumber(reach ?? 0)}${isGeographic ? " km" : ""}`);
}

const metrics = new WeakMap();

async function isOnEarth(source, request, signal) {
  if (!metrics.has(source)) {
    const { locations } = await post("locate", request, signal);
    metrics.set(source, locations.metric);
  }
  return metrics.get(source) === "haversine";
}

/**
 * Extent of all points, in kilometers or in the unit of x and y.
 * @param {import("./coverage_model.js").Data} data
 * @returns {number}
 */
export function extentOf({ locations }) {
  const all = [...locations.items, ...locations.elements];
  if (!all.length) return 1;
  const cut = locations.metric === "haversine" ? cutOf(all.map(([x]) => x)) : -Infinity;
  const spans = [0, 1].map((axis) => {
    const values = all.map((point) => point[axis] + (axis === 0 && point[0] < cut ? 360 : 0));
    return values.reduce((a, b) => Math.max(a, b)) - values.reduce((a, b) => Math.min(a, b));
  });
  if (locations.metric !== "haversine") return Math.hypot(...spans) || 1;
  const latitude = all.reduce((total, point) => total + point[1], 0) / all.length;
  const narrowed = spans[0] * Math.cos((latitude * Math.PI) / 180);
  return KILOMETERS_PER_DEGREE * Math.hypot(narrowed, spans[1]) || 1;
}

/**
 * A reach to start with: a round number.
 * @param {import("./coverage_model.js").Data} data
 * @returns {number}
 */
export function firstReach(data) {
  return Number((extentOf(data) * FIRST_REACH).toPrecision(1));
}
