// The bottleneck of a study, live: every delay and constant has a slider, and what follows from them is there
// at once. A run that is superseded is cancelled.

import { announce, el, picture, short } from "./dom.js";
import { failure } from "./answers.js";
import { link, linked } from "./link.js";
import { ask, calmly, run } from "./server.js";

/** A slider goes so far up and down from the value of the study: by this factor. */
const REACH = 10;
const MIDDLE = 500;

export class Bottleneck {
  constructor(view, { about, write }) {
    this.view = view;
    this.about = about;
    this.write = write;
    this.later = calmly(10, () => this.run(true));
    this.build();
  }

  build() {
    this.sliders = el("div", { class: "sliders" });
    this.state = el("span", { class: "faint", id: "bottleneck-state" });
    const button = (id, text, work, title) => el("button", { type: "button", id, title, onclick: work }, text);
    this.tools = el("div", { class: "tools" },
      button("bottleneck-pin", "Pin", () => this.pin(), "Keep this variant beside the others"),
      button("bottleneck-write", "Write to study", () => this.save(), "Write these values into the text; comments and layout stay"),
      button("bottleneck-reset", "Reset", () => this.reset(), "Back to the values of the study"), this.state);
    this.result = el("div", { class: "result" });
    this.pinned = el("div", { class: "pinned" });
    this.hint = el("p", { class: "hint" }, "Open a study to see its bottleneck, and to move its delays and constants.");
    this.body = el("div", { hidden: true }, this.tools, el("section", { "aria-label": "Delays and constants" }, this.sliders), this.result, this.pinned);
    this.view.replaceChildren(this.hint, this.body);
    this.empty();
  }

  empty() {
    this.controller?.abort();
    clearTimeout(this.whole);
    this.changes = new Map();
    this.quantities = null;
    this.pins = [];
    this.last = this.exact = null;
    this.hint.hidden = false;
    this.body.hidden = true;
    this.view.querySelector(":scope > .failure")?.remove();
    this.result.replaceChildren();
    this.pinned.replaceChildren();
    this.sliders.replaceChildren();
  }

  /** Shows the study; the address may say what is changed and pinned. */
  async open(isRestored) {
    this.empty();
    const read = name => {
      try { return JSON.parse(linked(name) ?? "[]"); } catch { return []; }
    };
    const pins = isRestored ? read("pins") : [];
    if (isRestored) this.changes = new Map(read("vary"));
    await this.run(true);
    for (const [number, changes] of pins.entries()) {
      const found = await run({ ...this.about(), task: "bottleneck", changes: texts(new Map(changes)), place: `pin ${number}` }, {}).catch(() => null);
      if (found) this.pins.push({ changes: new Map(changes), result: found.result });
    }
    this.showPins();
  }

  /** Takes the values of the text as it is now, or when it is looked at. */
  follow() {
    this.isOld = true;
    if (this.last && !this.view.hidden) this.later();
  }

  /** The page is looked at: it shows the text as it is now. */
  seen() {
    if (!this.last) this.open(false);
    else if (this.isOld) this.later();
  }

  /** Finds the bottleneck; at first without what takes longest. */
  async run(isFirst = false) {
    this.controller?.abort();
    clearTimeout(this.whole);
    this.isOld = false;
    const controller = this.controller = new AbortController();
    const begun = performance.now();
    this.view.setAttribute("aria-busy", "true");
    this.state.textContent = "…";
    let lacks = null;
    try {
      const told = await run({ ...this.about(), task: isFirst ? "first_look" : "bottleneck", changes: texts(this.changes), place: "bottleneck" }, {
        signal: controller.signal,
        progress: ({ seconds, states }) => { this.state.textContent = `${lacks ? `${lacks} follow; ` : ""}${states ? short(states) + " states, " : ""}${seconds.toFixed(1)} s`; },
        partial: (result, what) => {
          if (this.controller !== controller) return;
          if (!lacks) this.time(begun);
          lacks = what;
          this.keep(result);
          this.show(result, lacks);
          this.state.textContent = `${lacks} follow`;
        },
      });
      if (this.controller !== controller) return;
      this.view.querySelector(":scope > .failure")?.remove();
      if (isFirst) {
        this.keep(told.result);
        // All the rest is found when nothing moves any more.
        this.whole = setTimeout(() => this.run(), 400);
      }
      this.show(told.result);
      // What is told is how long it took until there was something to see.
      if (isFirst && !lacks) this.time(begun);
      this.state.textContent = this.told;
    } catch (error) {
      if (this.controller !== controller || error.name === "AbortError") return;
      this.state.textContent = "";
      this.view.querySelector(":scope > .failure")?.remove();
      this.hint.hidden = true;
      this.view.prepend(failure(error));
    } finally {
      if (this.controller === controller) this.view.removeAttribute("aria-busy");
    }
  }

  /** Notes how long it took until what is shown follows from the values of now. */
  time(begun) {
    const milliseconds = Math.round(performance.now() - begun);
    this.told = `${milliseconds} ms`;
    this.view.dataset.milliseconds = milliseconds;
  }

  /** What does not depend on delays is what it was, until it is found again. */
  keep(result) {
    const isConstant = name => result.quantities.find(one => one.name === name)?.distribution === null;
    const constants = changes => JSON.stringify([...changes].filter(([name]) => isConstant(name)));
    if (!this.last?.overlaps || this.last.constants !== constants(this.changes)) return;
    for (const [one, other, answers] of result.overlaps) {
      const known = this.last.overlaps.find(([first, second]) => first === one && second === other);
      answers.unshift(...(known?.[2] ?? []).filter(answer => answer.view === "untimed" && !answers.some(now => now.view === "untimed")));
    }
  }

  show(result, lacks = null) {
    result.lacks = lacks;
    // Runs at random have no timelines.
    result.isExact = result.charts.some(isTimeline) || !lacks;
    if (result.isExact) this.exact = result;
    const isConstant = name => result.quantities.find(one => one.name === name)?.distribution === null;
    result.constants = JSON.stringify([...this.changes].filter(([name]) => isConstant(name)));
    this.last = result;
    this.hint.hidden = true;
    this.body.hidden = false;
    const names = result.quantities.map(one => `${one.name} ${one.text}`).join("\n");
    if (this.quantities !== names) {
      this.quantities = names;
      this.makeSliders(result.quantities);
    }
    this.showResult(result);
    this.showPins();
    link({ vary: this.changes.size > 0 ? JSON.stringify([...this.changes]) : null });
    announce(result.flows.map(flow => `bottleneck of ${flow.name}: ${flow.verdict}`).join(", "));
  }

  makeSliders(quantities) {
    this.base = new Map(quantities.map(one => [one.name, one.text]));
    const rows = quantities.map(one => this.slider(one));
    this.sliders.replaceChildren(rows.length === 0 ? el("p", { class: "faint" }, "The study has no delays or constants of its own.") : el("div", { class: "grid" }, rows));
  }

  slider(one) {
    const { name, distribution } = one;
    const isDelay = distribution !== null;
    const start = one.value ?? NaN;
    const isWhole = !isDelay;
    // Of delays the scale is logarithmic: what counts is by how much they differ.
    const toValue = position => {
      if (isWhole) return position;
      if (start === 0) return position / 100;
      return Number((start * REACH ** ((position - MIDDLE) / MIDDLE)).toPrecision(3));
    };
    const toPosition = value => isWhole ? value : start === 0 ? value * 100 : MIDDLE + MIDDLE * Math.log(value / start) / Math.log(REACH);
    const most = isWhole ? Math.max(8, 4 * Math.abs(start)) : 2 * MIDDLE;
    const id = "slide-" + name.replace(/\W+/g, "-");
    const isNumber = Number.isFinite(start);
    const now = this.changes.get(name) ?? one.text;
    const field = el("input", { type: isNumber ? "number" : "text", step: "any", min: isNumber ? "0" : null, value: now, "aria-label": `${name}, value`, "data-name": name });
    const range = isNumber ? el("input", { type: "range", id, min: isWhole ? String(Math.min(0, start)) : "0", max: String(most), step: "1", value: String(toPosition(Number(now))), "aria-label": name, "data-name": name }) : el("span", {});
    const tell = value => range.setAttribute("aria-valuetext", `${value}${isDelay ? " " + (this.last?.unit ?? "") : ""}`);
    const set = value => {
      if (String(value) === String(one.text)) this.changes.delete(name);
      else this.changes.set(name, String(value));
      row.classList.toggle("changed", this.changes.has(name));
      tell(value);
      this.later();
    };
    range.addEventListener?.("input", () => {
      // The middle of the scale is the value of the study, to the last digit.
      const value = Number(range.value) === Math.round(toPosition(start)) ? one.text : toValue(Number(range.value));
      field.value = value;
      set(value);
    });
    field.addEventListener("input", () => {
      if (field.value.trim() === "" || (isNumber && !(Number(field.value) >= 0))) return;
      if (isNumber) range.value = toPosition(Number(field.value));
      set(field.value.trim());
    });
    if (isNumber) tell(now);
    const row = el("div", { class: this.changes.has(name) ? "slider changed" : "slider" }, el("label", isNumber ? { for: id } : {}, el("code", {}, name), el("span", { class: "faint" }, distribution && distribution !== "fixed" ? ` ${distribution}` : "")), range, field);
    return row;
  }

  showResult(result) {
    const flows = result.flows.map(flow => this.flow(flow, result));
    // What is not estimated stays as it was, and says so.
    const isBefore = !result.isExact;
    const charts = isBefore ? this.exact?.charts ?? [] : result.charts;
    const timelines = charts.filter(isTimeline);
    const others = charts.filter(chart => !timelines.includes(chart));
    const figure = chart => el("figure", { "data-chart": chart.name, class: isBefore ? "before" : "" }, el("figcaption", {}, chart.title, isBefore ? " (before this change)" : ""), el("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": chart.title }, picture(chart.svg)));
    const isOpen = this.result.querySelector("details.more")?.open;
    const more = el("details", { class: "more", open: isOpen }, el("summary", {}, `More charts (${others.length})`));
    const fill = () => { if (more.open && more.children.length === 1) more.append(...others.map(figure)); };
    more.addEventListener("toggle", fill);
    fill();
    this.result.replaceChildren(
      result.lacks ? el("p", { class: "note", id: "lacks" }, `${isBefore ? "Estimated from random runs so far: " : "Exact so far: "}${result.lacks} follow.`)
        : result.limit ? el("p", { class: "note" }, `Incomplete: ${result.limit}.`) : "", ...flows, this.matrix(result), ...timelines.map(figure), others.length > 0 ? more : "");
  }

  flow(flow, result) {
    const most = Math.max(...flow.levels.map(level => level.value), 1e-300);
    const levels = flow.levels.map(level => el("tr", {}, el("th", { scope: "row" }, level.name),
      el("td", { class: "number" }, level.text), el("td", {}, el("meter", { min: 0, max: most, value: level.value, "aria-label": `${level.name}: ${level.text}` })), el("td", { class: "faint" }, level.meaning)));
    const best = flow.cases.at(-1);
    const critical = (best?.critical ?? []).map((one, index) => {
      const part = el("li", { class: "k" + index % 8 }, el("code", {}, one.delay), ` ${(one.part * 100).toFixed(1)} %`);
      part.style.setProperty("--part", one.part);
      return part;
    });
    const gains = flow.changes.filter(change => change.elasticity !== null).sort((one, other) => other.elasticity - one.elasticity).slice(0, 4)
      .filter(change => change.elasticity > 1e-3)
      .map(change => el("li", {}, el("code", {}, change.delay), ` elasticity ${change.elasticity.toFixed(2)}`, el("span", { class: "faint" }, ` ${change.view}`)));
    return el("section", { class: "conclusion" },
      el("h3", {}, "Bottleneck of ", el("code", {}, flow.name), ": ", el("strong", { class: "found" }, flow.verdict === "undecided" && flow.reason ? flow.reason : flow.verdict)),
      levels.length > 0 ? el("table", { class: "levels" }, el("caption", {}, `Throughput, 1/${result.unit}`), el("tbody", {}, levels)) : "",
      flow.levels.length === 0 ? el("ul", {}, flow.throughput.map(text => el("li", {}, text))) : "",
      critical.length > 0 ? el("h4", {}, `Critical cycle: what a round of ${short(Number(best.period))} ${result.unit} waits for`) : "",
      critical.length > 0 ? el("ol", { class: "critical" }, critical) : "",
      el("ul", { class: "findings" }, flow.findings.map(finding => el("li", {}, ...finding.split(/(`[^`]+`)/).map(piece => piece.startsWith("`") ? el("code", {}, piece.slice(1, -1)) : piece)))),
      gains.length > 0 ? el("details", {}, el("summary", {}, "What a faster one would gain"), el("ul", {}, gains)) : "");
  }

  matrix({ resources, overlaps }) {
    if (overlaps.length === 0) return "";
    const cell = (row, column) => {
      const found = overlaps.find(([one, other]) => (one === row && other === column) || (one === column && other === row));
      if (!found) return el("td", {});
      return el("td", {}, found[2].map(answer => el("span", { class: answer.word, title: answer.text }, answer.word, el("span", { class: "faint" }, ` ${answer.view}`))));
    };
    const rows = resources.slice(0, -1).map((name, row) => el("tr", {}, el("th", { scope: "row" }, name),
      resources.slice(1).map((_, index) => index + 1 > row ? cell(row, index + 1) : el("td", {}))));
    return el("section", {}, el("h3", {}, "Overlap"), el("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Overlap matrix" },
      el("table", { class: "matrix", id: "overlap" }, el("caption", { class: "unseen" }, "Whether two resources can be busy at the same time"),
        el("thead", {}, el("tr", {}, el("td", {}), resources.slice(1).map(name => el("th", { scope: "col" }, name)))), el("tbody", {}, rows))));
  }

  reset() {
    this.changes.clear();
    this.quantities = null;
    this.run(true);
  }

  pin() {
    if (!this.last) return;
    this.pins.push({ changes: new Map(this.changes), result: this.last });
    this.showPins();
    announce(`${this.pins.length} variants are pinned`);
  }

  showPins() {
    link({ pins: this.pins.length > 0 ? JSON.stringify(this.pins.map(pin => [...pin.changes])) : null });
    if (this.pins.length === 0 || !this.last) {
      this.pinned.replaceChildren();
      return;
    }
    const variants = [{ changes: this.changes, result: this.last, isNow: true }, ...this.pins];
    const heads = variants.map((variant, index) => el("th", { scope: "col" }, variant.isNow ? "now" : `variant ${index}`,
      el("span", { class: "faint block" }, texts(variant.changes).join(", ") || "as the study says"),
      variant.isNow ? "" : el("span", { class: "tools inline" },
        el("button", { type: "button", onclick: () => this.take(variant) }, "Take"),
        el("button", { type: "button", "aria-label": `Remove variant ${index}`, onclick: () => { this.pins.splice(index - 1, 1); this.showPins(); } }, "✕"))));
    const names = [...new Set(variants.flatMap(variant => variant.result.lines.map(([name]) => name)))];
    const rows = names.map(name => {
      const values = variants.map(variant => variant.result.lines.find(([known]) => known === name)?.[1] ?? "–");
      const differs = values.some(value => value !== values[0]);
      return el("tr", { class: differs ? "differs" : "" }, el("th", { scope: "row" }, name), values.map(value => el("td", {}, value)));
    });
    rows.sort((one, other) => other.classList.contains("differs") - one.classList.contains("differs"));
    this.pinned.replaceChildren(el("h3", {}, "Variants side by side"), el("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Variants side by side" },
      el("table", { class: "variants", id: "variants" }, el("thead", {}, el("tr", {}, el("td", {}), heads)), el("tbody", {}, rows))));
  }

  take(variant) {
    this.changes = new Map(variant.changes);
    this.quantities = null;
    this.run(true);
  }

  /** Writes the values into the text of the study, where they can be undone, and be saved. */
  async save() {
    if (this.changes.size === 0) {
      announce("nothing is changed: move a slider first");
      this.state.textContent = "nothing is changed";
      return;
    }
    try {
      const { text } = await ask("change", { ...this.about(), changes: [...this.changes] });
      // What is pinned stays what it is, although the study says something else from now on.
      for (const pin of this.pins) {
        for (const name of this.changes.keys()) if (!pin.changes.has(name)) pin.changes.set(name, this.base.get(name));
      }
      this.changes.clear();
      this.quantities = null;
      this.write(text);
      await this.run(true);
      this.state.textContent = "written into the text: save it to keep it";
    } catch (error) {
      this.state.textContent = error.message;
      announce(error.message);
    }
  }
}

const isTimeline = chart => /^(gantt|timeline)/.test(chart.name) || chart.svg.includes("timeline");

const texts = changes => [...changes].map(([name, value]) => `${name}=${value}`);
