/** Data, budget, reach and columns: what the user sets, and how links store it. */

import { FIRST_SAMPLE, SAMPLES, extentOf, filesSource, hasReach, sampleSource }
  from "./coverage_data.js";
import { budgetSteps, costsOf, leastBudget, nearest, sum, wordsOf } from "./coverage_model.js";
import { byId, make, setText } from "./dom.js";
import { formatNumber } from "./formats.js";

const DEFAULTS = Object.freeze({
  reach: null, budget: null, isCounted: true, costColumn: null, weightColumn: null,
});
const MAX_REACH_STEPS = 100;
const LEAST_ITEMS = 5;

/**
 * Settings and decisions of a fragment, over those of the sample.
 * @param {string} fragment
 * @param {object} ofSample
 * @returns {{settings: object, decisions: object}}
 */
export function settingsOfFragment(fragment, ofSample) {
  const fields = new URLSearchParams(fragment.replace(/^#/, ""));
  const given = Object.fromEntries(["reach", "budget"]
    .map((name) => [name, parseFloat(fields.get(name) ?? "")])
    .filter(([, value]) => value >= 0));
  if (fields.has("unit")) given.isCounted = fields.get("unit") !== "cost";
  const decided = ["required", "forbidden"].flatMap((kind) =>
    fields.getAll(kind).map((label) => [label, kind]));
  return {
    settings: Object.freeze({ ...DEFAULTS, ...ofSample, ...given }),
    decisions: Object.fromEntries(decided),
  };
}

/**
 * The settings that differ from those of the sample, as a fragment.
 * @param {import("./coverage_session.js").State} state
 * @returns {string} "" for data of the user
 */
export function fragmentOf({ source, settings, decisions }) {
  if (!source?.sample) return "";
  const fields = new URLSearchParams();
  const { settings: usual } = SAMPLES[source.sample];
  if (source.sample !== FIRST_SAMPLE) fields.set("sample", source.sample);
  for (const name of ["reach", "budget"]) {
    if (settings[name] !== (usual[name] ?? null)) fields.set(name, settings[name]);
  }
  if (settings.isCounted !== usual.isCounted) {
    fields.set("unit", settings.isCounted ? "count" : "cost");
  }
  for (const [label, kind] of Object.entries(decisions)) fields.append(kind, label);
  return fields.toString();
}

/**
 * Let the user choose data and settings.
 * @param {ReturnType<import("./state.js").createState>} state
 * @param {(load: () => object, start: object) => void} bring loads data, and shows them
 */
export function startInputs(state, bring) {
  const change = (settings) => state.set({ settings: { ...state.get().settings, ...settings } });
  startFiles(state, bring);
  startBudget(state, change);
  startReach(state, change);
  startColumns(state, change);
}

function startFiles(state, bring) {
  const select = byId("sample");
  select.replaceChildren(
    make("option", { value: "", hidden: true }, "your files"),
    ...Object.entries(SAMPLES).map(([name, { title }]) =>
      make("option", { value: name }, title)),
  );
  select.addEventListener("change", () => {
    const sample = select.value;
    bring(() => sampleSource(sample), settingsOfFragment("", SAMPLES[sample].settings));
  });
  const bringOwn = (load) => bring(load, { settings: DEFAULTS, decisions: {} });
  const open = (files) => bringOwn(() => filesSource(files, state.get().source));
  const field = byId("files");
  byId("open").addEventListener("click", () => field.click());
  field.addEventListener("change", async () => {
    if (field.files.length) await open([...field.files]);
    // Allows the same file to be opened again after it has changed.
    field.value = "";
  });
  startDropping(open);
  for (const role of ["sites", "demand"]) {
    const table = byId(`table-${role}`);
    table.addEventListener("change", () => {
      const source = { ...state.get().source, [role]: Number(table.value), id: Math.random() };
      bringOwn(() => Object.freeze(source));
    });
  }
  state.onChange(({ source }, before) => {
    if (source !== before.source && source) showSource(source, select);
  });
}

function showSource({ sample, tables, sites, demand, file }, select) {
  select.value = sample;
  const own = file ? file.name : tables.map(({ name }) => name).join(", ");
  setText(select.options[0], sample ? "your files" : own);
  byId("tables").hidden = Boolean(sample) || !tables.length;
  for (const [role, chosen] of [["sites", sites], ["demand", demand]]) {
    const table = byId(`table-${role}`);
    table.replaceChildren(...tables.map(({ name }, k) => make("option", { value: k }, name)));
    table.value = String(chosen);
  }
}

function startDropping(open) {
  let depth = 0;
  const mark = (change) => {
    depth = Math.max(0, depth + change);
    document.body.classList.toggle("is-dropping", depth > 0);
  };
  const onFiles = (kind, run) =>
    document.addEventListener(kind, (event) => {
      if (event.dataTransfer.types.includes("Files")) run(event);
    });
  onFiles("dragenter", () => mark(1));
  onFiles("dragleave", () => mark(-1));
  onFiles("dragover", (event) => event.preventDefault());
  onFiles("drop", (event) => {
    event.preventDefault();
    mark(-depth);
    open([...event.dataTransfer.files]);
  });
}

/**
 * The budgets of slider and chart: from the least that pays for what is required, up to the
 * one that covers all that can be covered.
 * @param {import("./coverage_session.js").State} state
 * @returns {{values: number[], isLog: boolean}}
 */
export function stepsOf({ data, settings, decisions, curve }) {
  const costs = costsOf(data, settings.isCounted);
  const points = curve?.data === data && curve.isCounted === settings.isCounted
    ? curve.answer : [];
  const full = points.find(({ value }) => value >= points.at(-1).value * (1 - 1e-9));
  const most = sum(costs);
  // One item may cover all: there is room for a few.
  const room = Math.min(most, Math.ceil((LEAST_ITEMS * most) / costs.length));
  const enough = full && full.cost > 0 ? Math.max(Math.ceil(full.budget), room) : most;
  const steps = budgetSteps(costs, enough);
  const least = leastBudget({ data, decisions }, costs);
  const values = steps.values.filter((each) => each >= least);
  return { ...steps, values: values.length ? values : [least] };
}

function startBudget(state, change) {
  const slider = byId("budget-slider");
  const number = byId("budget-number");
  const unit = byId("unit");
  slider.addEventListener("input", () =>
    change({ budget: stepsOf(state.get()).values[Number(slider.value)] }));
  const forgetError = startNumber(number, "budget", (value) => value >= 0, {
    change: (budget) => change({ budget }), kept: () => state.get().settings.budget,
  });
  unit.addEventListener("change", () => {
    const isCounted = unit.value === "count";
    const plan = state.get().plan;
    const { costs } = state.get().data.problem;
    // About the same plan in the other unit.
    const mean = sum(costs) / costs.length;
    const size = plan?.answer.items.length || 1;
    change({ isCounted, budget: isCounted ? size : Math.round(size * mean) || 1 });
  });

  function show(now) {
    const { data, settings } = now;
    for (const field of [slider, number, unit]) field.disabled = !data;
    for (const id of ["budget-low", "budget-high"]) if (!data) setText(byId(id), "");
    if (!data || settings.budget === null) return;
    const { values } = stepsOf(now);
    const { item } = wordsOf(data);
    const noun = settings.isCounted ? `${item}s` : "cost";
    slider.max = String(values.length - 1);
    slider.value = String(nearest(values, settings.budget));
    slider.setAttribute("aria-valuetext", `${formatNumber(settings.budget)} ${noun}`);
    if (document.activeElement !== number && number.value !== String(settings.budget)) {
      number.value = String(settings.budget);
      forgetError();
    }
    setText(unit.options[0], `${item}s`);
    setText(unit.options[1], data.columns?.cost || "cost");
    unit.value = settings.isCounted ? "count" : "cost";
    setText(byId("budget-low"), formatNumber(values[0]));
    setText(byId("budget-high"), formatNumber(values.at(-1)));
  }
  state.onChange((now, before) => {
    const names = ["settings", "data", "curve", "decisions"];
    if (names.some((name) => now[name] !== before[name])) show(now);
  });
  show(state.get());
}

/**
 * A number that is used while it is valid. Otherwise the field says what is wrong, and has
 * the last valid number again when it is left.
 */
function startNumber(field, name, isValid, { change, kept }) {
  const isGood = () => field.value !== "" && isValid(Number(field.value));
  const rule = isValid(0) ? "at least 0" : "a positive number";
  const say = (error) => setText(byId(`${name}-error`), error);
  field.addEventListener("input", () => {
    if (isGood()) field.removeAttribute("aria-invalid");
    else field.setAttribute("aria-invalid", "true");
    const given = field.value === "" ? "Enter a number;" : `The ${name} is ${field.value};`;
    say(isGood() ? "" : `${given} it must be ${rule}.`);
    if (isGood()) change(Number(field.value));
  });
  field.addEventListener("change", () => {
    if (!isGood()) say(`The ${name} must be ${rule}; it is ${formatNumber(kept())} again.`);
    field.removeAttribute("aria-invalid");
    field.value = String(isGood() ? Number(field.value) : kept());
  });
  return () => say("");
}

function startReach(state, change) {
  const slider = byId("reach-slider");
  const number = byId("reach-number");
  // From a hundredth of the extent to all of it, in equal ratios.
  const valueAt = (step) => {
    const extent = extentOf(state.get().data);
    return Number((extent * 10 ** (2 * (step / MAX_REACH_STEPS - 1))).toPrecision(2));
  };
  slider.addEventListener("input", () => change({ reach: valueAt(Number(slider.value)) }));
  const forgetError = startNumber(number, "reach", (value) => value > 0, {
    change: (reach) => change({ reach }), kept: () => state.get().settings.reach,
  });

  function show({ data, source, settings }) {
    byId("reach").hidden = !source || !hasReach(source);
    for (const field of [slider, number]) field.disabled = !data;
    for (const id of ["reach-low", "reach-high"]) if (!data) setText(byId(id), "");
    if (!data?.locations || settings.reach === null) return;
    const ratio = Math.log10(settings.reach / extentOf(data)) / 2 + 1;
    const isGeographic = data.locations.metric === "haversine";
    slider.value = String(Math.round(MAX_REACH_STEPS * ratio));
    slider.setAttribute(
      "aria-valuetext", `${formatNumber(settings.reach)} ${isGeographic ? "km" : ""}`);
    if (document.activeElement !== number && number.value !== String(settings.reach)) {
      number.value = String(settings.reach);
      forgetError();
    }
    setText(byId("reach-unit"), isGeographic ? "km" : "units of x and y");
    setText(byId("reach-low"), formatNumber(valueAt(0)));
    setText(byId("reach-high"), formatNumber(valueAt(MAX_REACH_STEPS)));
  }
  state.onChange((now, before) => {
    if (now.settings !== before.settings || now.data !== before.data) show(now);
  });
}

function startColumns(state, change) {
  const fields = [
    ["cost-column", "costColumn", "cost"], ["weight-column", "weightColumn", "weight"],
  ];
  for (const [id, setting] of fields) {
    byId(id).addEventListener("change", () => change({ [setting]: byId(id).value }));
  }
  state.onChange(({ data, source }, before) => {
    if (data === before.data && source === before.source) return;
    const columns = source?.sample ? null : data?.columns;
    byId("columns").hidden = !columns;
    if (!columns) return;
    for (const [id, , kind] of fields) {
      const every = make("option", { value: "" }, "1 for each");
      byId(id).replaceChildren(every, ...columns[`${kind}_choices`].map((name) =>
        make("option", { value: name }, name)));
      byId(id).value = columns[kind];
    }
  });
}
