// The answers to what a text asks: with progress while they are looked for, and beside the text.

import { announce, el, short } from "./dom.js";
import { run } from "./server.js";

/** Shows how far a run is, with a button that cancels it. */
export function progressBar(label, cancel) {
  const told = el("span", { class: "told" }, "starting");
  const bar = el("progress", { "aria-label": label });
  const node = el("div", { class: "progress" }, bar, told, el("button", { type: "button", class: "cancel", onclick: cancel }, "Cancel"));
  return {
    node,
    tell({ states, memory, seconds }) {
      const parts = [];
      if (states) parts.push(`${short(states)} states`);
      if (memory) parts.push(`${short(Math.round(memory / 1e5) / 10)} MB`);
      parts.push(`${seconds.toFixed(1)} s`);
      told.textContent = parts.join(", ");
    },
  };
}

/** Says why there is nothing, in a paragraph that is seen. */
export const failure = error => el("p", { class: "failure", role: "alert" }, error.message);

export class Answers {
  constructor(view, { about, isStudy, shown, simulate }) {
    this.view = view;
    this.about = about;
    this.isStudy = isStudy;
    this.shown = shown;
    this.simulate = simulate;
    this.empty();
  }

  empty() {
    this.controller?.abort();
    this.controller = null;
    this.view.replaceChildren(el("p", { class: "hint" }, "Check the text to see the answers to what it asks. They also stand beside the questions."));
  }

  get isRunning() {
    return this.controller !== null && this.controller !== undefined;
  }

  cancel() {
    this.controller?.abort();
  }

  async check() {
    this.cancel();
    const controller = this.controller = new AbortController();
    const file = this.about().file;
    const bar = progressBar("Checking", () => controller.abort());
    this.view.replaceChildren(bar.node);
    announce(`checking ${file}`);
    try {
      const told = await run({ ...this.about(), task: "check", place: "check" },
        { signal: controller.signal, progress: progress => bar.tell(progress) });
      if (this.controller !== controller) return;
      this.show(file, told.result, told.seconds);
      this.shown(file, told.result);
    } catch (error) {
      if (this.controller !== controller) return;
      const cancelled = error.name === "AbortError";
      this.view.replaceChildren(cancelled ? el("p", { class: "hint" }, "The run was cancelled.") : failure(error));
      announce(cancelled ? "cancelled" : error.message);
    } finally {
      if (this.controller === controller) this.controller = null;
    }
  }

  show(file, result, seconds) {
    const answers = result.document?.answers ?? [];
    this.head = { schema: result.document?.schema, model: result.document?.model };
    const rows = answers.length > 0 ? answers.map(answer => this.row(file, answer)) : result.outcomes.map(outcome =>
      el("tr", { class: outcome.fails ? "fails" : "" }, el("td", { class: "verdict" }, outcome.fails ? "✗" : "·"), el("td", {}, outcome.what), el("td", {}, outcome.text)));
    const word = ["all as it should be", "something fails", "something is undecided"][result.status] ?? "done";
    announce(`${file}: ${word}`);
    this.view.replaceChildren(
      el("p", { class: `summary status-${result.status}` }, `${word[0].toUpperCase()}${word.slice(1)}`,
        el("span", { class: "faint" }, ` · ${seconds < 1 ? Math.round(seconds * 1000) + " ms" : seconds.toFixed(1) + " s"}`)),
      el("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Answers" }, el("table", { class: "answers" },
        el("thead", {}, el("tr", {}, el("th", { scope: "col" }, "verdict"), el("th", { scope: "col" }, "question"), el("th", { scope: "col" }, "answer"))),
        el("tbody", {}, rows))),
      result.document ? "" : el("p", { class: "note" }, "The counterexamples are too long to be opened here: `narrows check` prints them."),
      el("details", {}, el("summary", {}, "The whole report"), el("pre", { tabindex: "0" }, result.text)));
  }

  row(file, answer) {
    const value = answer.value;
    const verdict = answer.verdict ?? (answer.met === false ? "fails" : answer.met ? "as expected" : "");
    const kind = verdict === "fails" || answer.met === false ? "fails" : verdict === "undecided" ? "undecided"
      : verdict === "holds" || answer.met ? "holds" : "";
    const mark = { fails: "✗", undecided: "?", holds: "✓" }[kind] ?? "·";
    const runs = [answer.trace && { shows: "counterexample", trace: answer.trace }, ...(answer.runs ?? [])].filter(Boolean);
    const texts = [];
    if (value) texts.push(valueText(value, answer.kind));
    else if (answer.verdict && !["holds", "fails"].includes(answer.verdict)) texts.push(answer.verdict);
    if (answer.reason) texts.push(answer.reason);
    if (answer.message) texts.push(answer.message);
    if (answer.met === false) texts.push(`not as expected: ${answer.expect}`);
    texts.push(...(answer.notes ?? []));
    return el("tr", { class: kind },
      el("td", { class: "verdict" }, `${mark} ${["holds", "fails", "undecided"].includes(verdict) ? verdict : verdict === "as expected" ? verdict : ""}`),
      el("td", {}, [answer.kind, answer.name].filter(Boolean).join(" "), answer.view ? el("span", { class: "faint" }, ` ${answer.view}`) : null),
      el("td", {}, el("span", {}, texts.join(" · ")),
        runs.map(one => el("button", { type: "button", class: "open-run", onclick: () => this.simulate(file, { ...this.head, trace: one.trace }) },
          runs.length > 1 ? `Open: ${one.shows}` : "Open the run"))));
  }
}

/** Writes a value of a document. */
export function valueText({ low, high, unit, exact, estimate }, kind) {
  const text = end => typeof end === "number" ? short(end) : String(end);
  const middle = typeof low === "number" && typeof high === "number" && !exact && high - low <= 1e-4 * Math.abs(high);
  const range = low === high || middle ? text(low === high ? low : (low + high) / 2)
    : estimate !== undefined ? `estimated ${text(low)} to ${text(high)}`
    : kind === "throughput" ? `${text(low)} at worst, ${text(high)} at best` : `${text(low)} to ${text(high)}`;
  return unit ? `${range} ${unit}` : range;
}
