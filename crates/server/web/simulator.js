// The simulator: a run that is made step by step, forwards and backwards.

import { announce, downloadPicture, el, picture, short } from "./dom.js";
import { failure } from "./answers.js";
import { link, linked } from "./link.js";
import { ask } from "./server.js";

export class Simulator {
  constructor(view, { about, show }) {
    this.view = view;
    this.about = about;
    /** Shows places in the text. */
    this.show = show;
    this.state = null;
    this.tool = "draw";
    this.build();
  }

  build() {
    const button = (text, title, work, id) => el("button", { type: "button", title, id, onclick: work }, text);
    this.tools = el("div", { class: "tools", role: "toolbar", "aria-label": "Run" },
      button("Start", "Start from the first state", () => this.start(), "sim-start"),
      button("◀ Back", "ArrowLeft", () => this.order({ do: "back" }), "sim-back"),
      button("Forward ▶", "ArrowRight", () => this.order({ do: "forward" }), "sim-forward"),
      button("Random step", "r", () => this.order({ do: "random", count: 1 }), "sim-random"),
      button("100 random", "Take up to 100 random steps", () => this.order({ do: "random", count: 100 }), "sim-many"));
    this.time = el("p", { class: "clock", hidden: true });
    this.note = el("p", { class: "verdict-line", role: "status" });
    this.steps = el("ol", { class: "choices", id: "sim-steps" });
    this.values = el("div", { class: "values", tabindex: "0", role: "group", "aria-label": "Values" });
    this.slider = el("input", { type: "range", min: "0", max: "0", value: "0", "aria-label": "Position in the run",
      oninput: event => this.order({ do: "jump", step: Number(event.target.value) }) });
    this.below = el("div", { class: "below" });
    this.toggles = el("div", { class: "tools" },
      el("button", { type: "button", id: "sim-chart", "aria-pressed": "true", onclick: () => this.turn("draw") }, "Chart"),
      el("button", { type: "button", id: "sim-why", "aria-pressed": "false", onclick: () => this.turn("why") }, "Why not?"),
      el("button", { type: "button", id: "sim-svg", onclick: () => this.save() }, "SVG"));
    this.hint = el("p", { class: "hint" }, "Start to go through a run of the model, step by step: forwards, backwards, or at random.");
    this.body = el("div", { class: "sim", hidden: true },
      el("div", { class: "at" }, this.slider), this.note, this.time,
      el("div", { class: "columns" },
        el("section", { "aria-label": "What can be done" }, el("h3", {}, "What can be done"), this.steps),
        el("section", { "aria-label": "State" }, el("h3", {}, "State"), this.values)),
      this.toggles, this.below);
    this.view.replaceChildren(this.tools, this.hint, this.body);
    this.view.addEventListener("keydown", event => this.key(event));
  }

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || !this.state || event.target === this.slider) return;
    const work = { ArrowLeft: { do: "back" }, ArrowRight: { do: "forward" }, r: { do: "random", count: 1 } }[event.key];
    if (work) {
      event.preventDefault();
      this.order(work);
    } else if (/^[1-9]$/.test(event.key) && Number(event.key) <= this.state.steps.length) {
      this.order({ do: "choose", step: Number(event.key) - 1 });
    }
  }

  /** Forgets what is shown: another file is open. */
  leave() {
    this.state = null;
    this.body.hidden = true;
    this.hint.hidden = false;
    link({ choices: null, seed: null });
  }

  async start({ choices = [], recording = null, file } = {}) {
    this.begun = this.about(file);
    this.seed = Number(linked("seed")) || 1;
    try {
      this.tell(await ask("simulate", { ...this.begun, seed: this.seed, choices, recording }));
      link({ seed: this.seed });
    } catch (error) {
      this.state = null;
      this.body.hidden = true;
      this.hint.hidden = true;
      this.view.querySelector(":scope > .failure")?.remove();
      this.view.append(failure(error));
    }
  }

  /** Restores what the address says. */
  restore() {
    const choices = linked("choices");
    return this.start({ choices: choices ? choices.split(".").map(Number) : [] });
  }

  async order(order) {
    if (!this.state) {
      if (order.do !== "back") await this.start();
      return;
    }
    // One after the other: who presses keys fast means all of them.
    this.last = (this.last ?? Promise.resolve()).then(() => this.send(order));
    await this.last;
  }

  async send(order) {
    try {
      this.tell(await ask("step", { number: this.state.number, ...order }));
    } catch (error) {
      if (error.status !== 404) return this.complain(error);
      // The server gave its place to another one: the same choices lead to the same state.
      const choices = this.state.choices ?? [];
      try {
        this.tell(await ask("simulate", { ...this.begun, seed: this.seed, choices }));
        this.tell(await ask("step", { number: this.state.number, ...order }));
      } catch (again) {
        this.complain(again);
      }
    }
  }

  complain(error) {
    this.note.textContent = error.message;
    this.note.className = "verdict-line fails";
  }

  tell(state) {
    this.state = state;
    this.view.querySelector(":scope > .failure")?.remove();
    this.hint.hidden = true;
    this.body.hidden = false;
    this.slider.max = state.known;
    this.slider.value = state.step;
    this.slider.setAttribute("aria-valuetext", `step ${state.step} of ${state.known}`);
    const standing = { running: "", ended: "the run has ended", deadlock: "deadlock: nothing can happen any more", faulted: "the run can't go on" };
    const wrong = state.wrong ?? state.note ?? standing[state.status];
    const bad = state.wrong || state.status === "deadlock" || state.status === "faulted";
    const at = state.before_first ? "choose the first state" : state.step === 0 ? "the first state" : `step ${state.step}: ${state.last}`;
    this.note.replaceChildren(el("span", { class: "at-step" }, at), wrong ? el("strong", { class: bad ? "bad" : "" }, ` ${wrong}`) : "",
      state.cycle !== null && state.cycle !== undefined ? el("span", { class: "faint" }, ` · the run repeats from step ${state.cycle + 1} on`) : "",
      state.printed ? el("pre", {}, state.printed) : "");
    this.note.className = bad ? "verdict-line fails" : "verdict-line";
    this.showClock(state.clock);
    this.showSteps(state);
    this.showValues(state);
    link({ choices: state.choices ? state.choices.join(".") : null });
    this.show(state.entries.filter(entry => entry.group === "process" && entry.place).map(entry => entry.place),
      state.entries.find(entry => entry.changed && entry.place)?.place);
    this.redraw();
    announce(`${at}${wrong ? ", " + wrong : ""}`);
  }

  showClock(clock) {
    this.time.hidden = !clock;
    if (clock) this.time.replaceChildren("time ", el("strong", {}, `${short(clock.now)} ${clock.unit}`), clock.note ? el("span", { class: "faint" }, ` · ${clock.note}`) : "");
  }

  showSteps(state) {
    const steps = state.steps.map((step, index) => el("li", {}, el("button", {
      type: "button", onclick: () => this.order({ do: "choose", step: index }), class: step.due && !step.due.next ? "later" : "",
      onmouseenter: () => step.place && this.show([step.place], step.place),
    }, el("kbd", { "aria-hidden": "true" }, index < 9 ? String(index + 1) : ""), el("code", {}, step.title), step.target ? el("span", { class: "faint" }, ` ${step.target}`) : null,
    step.due ? el("span", { class: "due" }, step.due.after > 0 ? `in ${short(step.due.after)} ${state.clock.unit}` : "now") : null,
    step.place ? el("span", { class: "faint where" }, step.place.text) : null)));
    if (steps.length === 0) steps.push(el("li", { class: "faint" }, "nothing"));
    if (state.more) steps.push(el("li", { class: "faint" }, "and more"));
    // The focus stays on the list when it changes.
    const inside = this.steps.contains(document.activeElement);
    this.steps.replaceChildren(...steps);
    if (inside) this.steps.querySelector("button")?.focus();
  }

  showValues(state) {
    const groups = [["variable", "variables"], ["channel", "channels"], ["process", "processes"], ["definition", "definitions"], ["atom", "formula"]];
    const entries = [...state.entries, ...state.definitions.map(([name, value]) => ({ group: "definition", owner: "", name, value })),
      ...state.atoms.map(([name, value, changed]) => ({ group: "atom", owner: "", name, value: String(value), changed }))];
    const tables = groups.map(([group, title]) => {
      const found = entries.filter(entry => entry.group === group || (group === "process" && entry.group === "local"));
      if (found.length === 0) return null;
      return el("table", {}, el("caption", {}, title), el("tbody", {}, found.map(entry => el("tr", {
        class: [entry.changed ? "changed" : "", entry.group].join(" ") },
      el("th", { scope: "row" }, entry.group === "process" ? entry.owner : entry.name),
      el("td", {}, entry.group === "process" && entry.place ? `${entry.place.text} ${entry.value}` : entry.value)))));
    });
    this.values.replaceChildren(...tables.filter(Boolean));
  }

  turn(tool) {
    this.tool = tool;
    this.view.querySelector("#sim-chart").setAttribute("aria-pressed", tool === "draw");
    this.view.querySelector("#sim-why").setAttribute("aria-pressed", tool === "why");
    this.redraw();
  }

  async redraw() {
    const state = this.state;
    const isNow = () => this.state === state;
    try {
      const told = await ask("step", { number: state.number, do: this.tool });
      if (!isNow()) return;
      if (this.tool === "draw") {
        const node = el("div", { class: "scroll chart-scroll", tabindex: "0", role: "region", "aria-label": "Message sequence chart" }, picture(told.svg));
        this.below.replaceChildren(node);
        node.scrollTop = node.scrollHeight;
      } else {
        const rows = told.reasons.map(reason => el("tr", {}, el("th", { scope: "row" }, reason.who), el("td", {}, el("code", {}, reason.what),
          reason.place ? el("span", { class: "faint" }, ` ${reason.place.text}`) : null), el("td", {}, reason.reason)));
        this.below.replaceChildren(rows.length === 0 ? el("p", { class: "faint" }, "Nothing is blocked here.")
          : el("table", { class: "why" }, el("caption", {}, "What can't be done now, and why"), el("tbody", {}, rows)));
      }
    } catch (error) {
      if (isNow()) this.below.replaceChildren(el("p", { class: "faint" }, error.message));
    }
  }

  save() {
    const node = this.below.querySelector("svg");
    if (node) downloadPicture("run.svg", node);
  }

  /** Returns the current value of a name, for hover. */
  valuesOf(name) {
    const entries = this.state?.entries ?? [];
    return entries.filter(entry => entry.name === name || entry.name.startsWith(name + "["))
      .map(entry => `${entry.owner ? entry.owner + " " : ""}${entry.name} = ${entry.value}`);
  }
}
