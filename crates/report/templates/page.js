// Goes through runs: shows for each step its lines in the text and the state after it.
"use strict";
(() => {
  const element = (name, text, ...classes) => {
    const node = document.createElement(name);
    node.textContent = text;
    node.classList.add(...classes);
    return node;
  };

  /** A counterexample, its data, and where the reader is in it. */
  class Run {
    constructor(section, data, model) {
      Object.assign(this, { section, data, model, at: -1, values: new Map(), changed: new Set() });
      this.last = data.states.length - 1;
      this.steps = new Map();
      for (const node of section.querySelectorAll("[data-step]")) {
        const number = Number(node.dataset.step);
        if (!this.steps.has(number)) this.steps.set(number, []);
        this.steps.get(number).push(node);
      }
      section.addEventListener("click", event => this.click(event));
    }

    click(event) {
      const go = event.target.closest("[data-go]");
      if (go) return this.go(go.dataset.go);
      const cells = event.target.closest(".strip:not(.axis) .cells");
      if (cells) {
        const box = cells.getBoundingClientRect();
        const all = Number(this.section.dataset.last) + 1;
        return this.select(this.nearest(Math.floor((event.clientX - box.left) / box.width * all)));
      }
      const step = event.target.closest("[data-step]");
      if (!step) return;
      // A link to a line does what choosing its step does; without a script it is a link.
      if (event.target.closest("a")) event.preventDefault();
      this.select(this.nearest(Number(step.dataset.step)));
    }

    /** Finds a state by its number; of a long run some are left out. */
    nearest(number) {
      const index = this.data.states.findIndex(state => state.n >= number);
      return index < 0 ? this.last : index;
    }

    go(where) {
      const first = this.data.cycle === null ? null : this.nearest(this.data.cycle);
      const next = this.at < this.last ? this.at + 1 : first ?? this.last;
      this.select({ first: 0, back: Math.max(this.at - 1, 0), on: next, last: this.last }[where]);
    }

    /** Adds up the changes as far as a state. */
    compute(index) {
      if (index < this.at) {
        this.values.clear();
        this.at = -1;
      }
      for (let next = this.at + 1; next <= index; next++) {
        this.changed = new Set();
        for (const [name, value] of this.data.states[next].changes) {
          if (value === null) this.values.delete(name);
          else this.values.set(name, value);
          if (next > 0) this.changed.add(name);
        }
      }
      this.at = index;
    }

    select(index, quietly) {
      if (index > this.last || index < 0) return;
      const old = this.data.states[this.at];
      for (const node of old ? this.steps.get(old.n) ?? [] : []) {
        node.classList.remove("selected");
        node.removeAttribute("aria-current");
      }
      this.compute(index);
      const state = this.data.states[index];
      for (const node of this.steps.get(state.n) ?? []) {
        node.classList.add("selected");
        if (node.localName === "li") {
          node.setAttribute("aria-current", "step");
          if (!quietly) {
            node.focus({ preventScroll: true });
            node.scrollIntoView({ block: "nearest" });
          }
        } else if (!quietly) reveal(node, node.closest(".scroll"));
      }
      const round = index === this.last && this.data.cycle !== null ? ", then again from step " + this.data.cycle : "";
      this.section.querySelector(".at").textContent = "state " + state.n + " of " + this.section.dataset.last + round;
      for (const cursor of this.section.querySelectorAll(".cursor")) cursor.setAttribute("x", state.n);
      this.model.show(this, state);
    }
  }

  /** Scrolls a box, and nothing else, so that something in it is seen. */
  const reveal = (node, box) => {
    if (!box) return;
    const inner = node.getBoundingClientRect(), outer = box.getBoundingClientRect();
    if (inner.top < outer.top + 48 || inner.bottom > outer.bottom - 16) {
      box.scrollTop += inner.top - outer.top - (outer.height - inner.height) / 2;
    }
  };

  /** A model: its text, its runs, and the state that is shown. */
  class Model {
    constructor(article) {
      this.article = article;
      this.source = article.querySelector(".source");
      this.state = article.querySelector(".state");
      const data = JSON.parse(article.querySelector("script.data").textContent);
      const sections = [...article.querySelectorAll(".run")];
      this.runs = sections.map((section, index) => new Run(section, data[index], this));
      this.active = this.runs[0];
    }

    show(run, state) {
      this.active = current = run;
      for (const line of this.article.querySelectorAll(".lines .now")) line.classList.remove("now");
      for (const who of this.article.querySelectorAll(".who:not(:empty)")) who.textContent = "";
      const lines = state.lines.map(id => document.getElementById(id)).filter(line => line);
      for (const line of lines) line.classList.add("now");
      if (lines.length > 0) reveal(lines[0], this.source);
      this.state.replaceChildren(element("h3", state.n === 0 ? "the initial state" : "after step " + state.n));
      this.table(run, "variables", ["variable"]);
      this.table(run, "channels", ["channel"]);
      this.table(run, "processes", ["process", "local"]);
    }

    table(run, title, groups) {
      const table = document.createElement("table");
      table.append(element("caption", title));
      const entries = [...run.values].filter(([name]) => groups.includes(run.data.names[name][0]));
      const owner = name => run.data.names[name][1];
      // A process that was created later has its variables below it all the same.
      const owners = [...new Set(entries.map(([name]) => owner(name)))];
      entries.sort(([a], [b]) => owners.indexOf(owner(a)) - owners.indexOf(owner(b)) || a - b);
      for (const [name, value] of entries) {
        const [group, process, text] = run.data.names[name];
        const row = element("tr", "", group);
        if (run.changed.has(name)) row.classList.add("changed");
        const head = element("th", group === "process" ? process : text);
        head.scope = "row";
        row.append(head, group === "process" ? this.place(process, value) : element("td", value));
        table.append(row);
      }
      if (entries.length > 0) this.state.append(table);
    }

    /** Says where a process is, and marks it in the text. */
    place(process, id) {
      const line = document.getElementById(id);
      if (!line) return element("td", "");
      const who = line.querySelector(".who");
      who.textContent += (who.textContent ? ", " : "◂ ") + process;
      const number = line.querySelector(".no").textContent;
      return element("td", "line " + number + "  " + line.querySelector("code").textContent.trim());
    }
  }

  let current = null;
  const models = [...document.querySelectorAll(".model")].map(article => new Model(article));
  document.documentElement.classList.add("scripted");
  for (const model of models) for (const run of [...model.runs].reverse()) run.select(run.data.states[0] ? 0 : -1, true);
  current = models.flatMap(model => model.runs)[0] ?? null;

  document.addEventListener("keydown", event => {
    if (event.altKey || event.ctrlKey || event.metaKey || !current) return;
    const inside = event.target.closest?.(".run");
    const run = models.flatMap(model => model.runs).find(run => run.section === inside) ?? current;
    const inList = event.target.closest?.(".steps") !== null && event.target !== document.body;
    const keys = { ArrowRight: "on", ArrowLeft: "back", j: "on", k: "back" };
    if (inList) Object.assign(keys, { ArrowDown: "on", ArrowUp: "back", Home: "first", End: "last" });
    const scrolls = event.target.closest?.(".scroll, .source, .state");
    const where = keys[event.key];
    if (!where || scrolls) return;
    event.preventDefault();
    run.go(where);
  });
})();
