/** Requests of the coverage page: what is missing is loaded step by step. */

import { RejectedError, UnreachableError, post } from "./api.js";
import { createConnection } from "./connection.js";
import { firstReach, hasReach, readSource } from "./coverage_data.js";
import { budgetSteps, costsOf, leastBudget, nearest, sum } from "./coverage_model.js";
import { latestOnly } from "./latest.js";
import { removeMessage, showMessage } from "./messages.js";

// Requests that end soon may end, as aborting them costs the server more.
const GRACE_MILLISECONDS = 1000;
const MAX_BUDGETS = 40;
const NUM_ALTERNATIVES = 4;
const TYPICAL_ITEMS = 5;

/**
 * @typedef {object} State
 * @property {import("./coverage_data.js").Source | null} source
 * @property {object} settings reach, budget, isCounted, costColumn, weightColumn
 * @property {Record<string, import("./coverage_model.js").Decision>} decisions by label
 * @property {import("./coverage_model.js").Data | null} data
 * @property {Loaded | null} free plan without decisions
 * @property {Loaded | null} plan
 * @property {Loaded | null} curve
 * @property {Loaded | null} alternatives
 * @property {number} shown position of the alternative that is shown; 0 is the plan
 * @property {{name: string, decision?: string, value: number, key: string} | null} last
 *   decision, and what was covered before it
 * @property {number} pointed item that is pointed at, or -1
 * @property {{what: string, since: number, key: string} | null} work what is loading
 * @property {boolean} isCancelled
 * @property {State | null} former what was shown before the source, until that is read
 *
 * @typedef {object} Loaded
 * @property {string} key what it depends on
 * @property {import("./coverage_model.js").Data} data
 * @property {boolean} isCounted
 * @property {Record<string, import("./coverage_model.js").Decision>} decisions
 * @property {any} answer
 */

/**
 * What each step depends on.
 * @param {State} state
 * @returns {{data: string, free: string, plan: string, curve: string}}
 */
export function keysOf({ source, settings, decisions }) {
  const { reach, budget, isCounted, costColumn, weightColumn } = settings;
  const data = JSON.stringify([source?.id, reach, costColumn, weightColumn]);
  const decided = JSON.stringify(Object.entries(decisions).toSorted());
  const free = `${data} ${budget} ${isCounted}`;
  return { data, free, plan: `${free} ${decided}`, curve: `${data} ${isCounted} ${decided}` };
}

/**
 * Whether the plan is that of the current data and settings.
 * @param {State} state
 * @returns {boolean}
 */
export function isCurrent(state) {
  const keys = keysOf(state);
  return state.data?.key === keys.data && state.plan?.key === keys.plan;
}

/**
 * Load what the state lacks whenever it changes.
 * @param {ReturnType<import("./state.js").createState>} state
 */
export function createCoverageSession(state) {
  const connection = createConnection(() => {
    sources.retry();
    update();
  });
  const sources = createSources({
    onLost: () => connection.lost(),
    onFailure: (error, again) => {
      const { data } = state.get();
      if (error.isBusy || !data) showRefusal(error, { again, data });
      else showFailure(error, []);
    },
  });
  let current = null;
  let maxSeconds = null;

  const run = latestOnly(async () => {
    if (state.get().isCancelled) return;
    const control = new AbortController();
    current = control;
    try {
      for (let step = firstMissing(state.get()); step; step = firstMissing(state.get())) {
        const key = allKeys(state.get())[step.name];
        state.set({ work: { what: step.what, since: Date.now(), key } });
        await step.load(state, control.signal, maxSeconds);
        removeMessage("plan");
        if (step.name === "plan") maxSeconds = null;
      }
    } catch (error) {
      maxSeconds = null;
      if (error instanceof UnreachableError) connection.lost();
      else if (error instanceof RejectedError) refuse(state, error, update);
      else if (error.name !== "AbortError") throw error;
    } finally {
      state.set({ work: null });
    }
  });

  function update() {
    const old = current;
    if (state.get().isCancelled) state.set({ isCancelled: false });
    setTimeout(() => {
      if (old !== null && old === current && !isWanted(state.get())) old.abort();
    }, GRACE_MILLISECONDS);
    return run();
  }

  state.onChange((now, before) => {
    const isOther = now.source !== before.source || now.settings !== before.settings
      || now.decisions !== before.decisions;
    if (isOther) update();
  });
  return {
    update,
    bring: sources.bring,
    cancel() {
      state.set({ isCancelled: true });
      current?.abort();
    },
    searchLonger(seconds) {
      maxSeconds = seconds;
      state.set({ plan: { ...state.get().plan, key: "" } });
      update();
    },
  };
}

/** The source that was asked for last; one that could not be loaded is asked for again. */
function createSources({ onLost, onFailure }) {
  let wanted = null;
  return {
    retry: () => wanted?.(),
    async bring(load, show) {
      const own = async () => {
        try {
          const source = await load();
          if (wanted !== own) return;
          wanted = null;
          show(source);
        } catch (error) {
          if (error instanceof UnreachableError) onLost();
          else if (error instanceof RejectedError) {
            if (wanted !== own) return;
            if (!error.isBusy) wanted = null;
            onFailure(error, own);
          }
          else throw error;
        }
      };
      wanted = own;
      await own();
    },
  };
}

/** Whether the request under way is still needed. */
function isWanted(state) {
  return state.work === null || Object.values(keysOf(state)).includes(state.work.key);
}

function allKeys(state) {
  const keys = keysOf(state);
  return { ...keys, alternatives: keys.plan };
}

const STEPS = [
  { name: "data", what: "Reading", load: loadData },
  { name: "free", what: "Planning", load: loadFree },
  { name: "plan", what: "Planning", load: loadPlan },
  { name: "curve", what: "Planning at other budgets", load: loadCurve },
  { name: "alternatives", what: "Looking for alternatives", load: loadAlternatives },
];

/** The first step to load: settings may have changed while another one was loaded. */
function firstMissing(state) {
  return STEPS.find((step) => isMissing(step, state));
}

function isMissing({ name }, state) {
  const { source, settings, decisions } = state;
  if (!source) return false;
  const keys = allKeys(state);
  if (name === "data") return state.data?.key !== keys.data || settings.budget === null;
  // Without decisions, the plan is the free one.
  if (name === "free" && !Object.keys(decisions).length) return false;
  return state[name]?.key !== keys[name];
}

async function loadData(state, signal) {
  const { source, settings } = state.get();
  const key = keysOf(state.get()).data;
  if (state.get().data?.key !== key) {
    const data = await readSource(source, settings, key, signal);
    if (keysOf(state.get()).data !== key) return;
    state.set({ data, former: null, ...knownDecisions(state.get(), data) });
    if (hasReach(source) && settings.reach === null) {
      state.set({ settings: { ...state.get().settings, reach: firstReach(data) } });
      return;
    }
  }
  const { data, settings: now } = state.get();
  if (now.budget === null) state.set({ settings: { ...now, ...firstBudget(data) } });
}

/** Decisions on items that still exist. */
function knownDecisions({ decisions }, { items, problem }) {
  const labels = new Set(problem.item_names ?? items.map((_, i) => String(i)));
  const kept = Object.entries(decisions).filter(([label]) => labels.has(label));
  return kept.length === Object.keys(decisions).length
    ? {} : { decisions: Object.fromEntries(kept) };
}

function firstBudget({ problem }) {
  if (problem.budget !== undefined) return { budget: problem.budget, isCounted: false };
  return { budget: Math.min(TYPICAL_ITEMS, problem.costs.length), isCounted: true };
}

/** The fields that all requests for plans have. */
function planRequest({ data, settings, decisions }) {
  const decided = (kind) => Object.keys(decisions).filter((label) => decisions[label] === kind);
  return {
    problem: data.problem,
    unit_costs: settings.isCounted,
    require: decided("required"),
    forbid: decided("forbidden"),
  };
}

/** Load a step, and store its answer unless another source is shown by then. */
async function load(state, name, request) {
  const { source, data, decisions, settings: { isCounted } } = state.get();
  const key = allKeys(state.get())[name];
  const answer = await request();
  if (state.get().source !== source) return;
  state.set({ [name]: { key, data, answer, isCounted, decisions } });
}

async function loadFree(state, signal) {
  const { data, settings, plan } = state.get();
  const isShown = plan?.key === keysOf({ ...state.get(), decisions: {} }).plan;
  const request = { ...planRequest({ data, settings, decisions: {} }), budget: settings.budget };
  await load(state, "free", () => (isShown ? plan.answer : post("solve", request, signal)));
}

async function loadPlan(state, signal, maxSeconds) {
  const request = {
    ...planRequest(state.get()), budget: state.get().settings.budget, max_seconds: maxSeconds,
  };
  await load(state, "plan", () => post("solve", request, signal));
  state.set({ shown: 0 });
}

async function loadCurve(state, signal) {
  const { data, settings } = state.get();
  const costs = costsOf(data, settings.isCounted);
  const least = leastBudget(state.get(), costs);
  const budgets = thinned(budgetSteps(costs, sum(costs)).values.filter((each) => each > least));
  const request = { ...planRequest(state.get()), budgets: [least, ...budgets] };
  await load(state, "curve", async () => (await post("budgets", request, signal)).budgets);
}

/** Some of the numbers, closer together where they are small, as the curve bends there. */
function thinned(values) {
  if (values.length <= MAX_BUDGETS) return values;
  const [first, last] = [values[0], values.at(-1)];
  const ratio = (last / first) ** (1 / (MAX_BUDGETS - 1));
  const wanted = Array.from({ length: MAX_BUDGETS }, (_, k) => first * ratio ** k);
  return [...new Set(wanted.map((each) => values[nearest(values, each)]))];
}

async function loadAlternatives(state, signal) {
  const request = {
    ...planRequest(state.get()), budget: state.get().settings.budget, n: NUM_ALTERNATIVES,
  };
  await load(state, "alternatives", async () =>
    (await post("alternatives", request, signal)).alternatives);
}

/** Show an error; if a new source cannot be read, the former one is shown again. */
function refuse(state, error, again) {
  const { former, source, data } = state.get();
  if (data || !former || error.isBusy) {
    showRefusal(error, { again, data });
    return;
  }
  state.set({ ...former, work: null });
  showFailure(error, namesOf(source));
}

function showRefusal(error, { again, data }) {
  const isLarge = error.status === 413;
  const text = error.isBusy
    ? "The server is busy, or the request exceeded its time limit."
    : sentenceOf(error.message, data);
  const hint = isLarge ? "Use fewer points, or a smaller reach." : sentenceOf(error.hint, data);
  const action = error.isBusy ? { label: "Try again", run: again } : undefined;
  showMessage("plan", { text, hint: error.isBusy ? "" : hint, action });
}

/** Say which file could not be read, and that the page shows what it showed before. */
function showFailure({ message, hint }, names) {
  const isNamed = !names.length || names.some((name) => message.includes(name));
  const text = isNamed ? message : `${names.join(", ")}: ${message}`;
  const kept = "The previous data are still shown.";
  showMessage("file", { text: sentenceOf(text, null), hint: `${hint} ${kept}`.trim() });
}

function namesOf({ file, tables, sites, demand }) {
  return file ? [file.name] : [...new Set([tables[sites].name, tables[demand].name])];
}

/** An error of the server in words of the page: items of a map are sites. */
function sentenceOf(text, data) {
  const said = data?.locations
    ? text.replace(/'[^']*'|\bitem(s?)\b/g, (found, plural) =>
      (plural === undefined ? found : `site${plural}`))
    : text;
  // Names of files and fields are not words.
  return said.replace(/^[a-z]+(?=[\s,:])/, (word) => word[0].toUpperCase() + word.slice(1));
}
