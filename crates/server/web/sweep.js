// Sweeps: the answers of a study for each value that it varies, as plots and as a table.

import { announce, download, downloadPicture, el } from "./dom.js";
import { failure, progressBar } from "./answers.js";
import { plot } from "./plot.js";
import { run } from "./server.js";

export class Sweep {
  constructor(view, { about }) {
    this.view = view;
    this.about = about;
    this.empty();
  }

  empty() {
    this.controller?.abort();
    this.shown = false;
    this.view.replaceChildren(this.start(), el("p", { class: "hint" }, "A study says in its table [sweep] what it varies."));
  }

  start() {
    return el("div", { class: "tools" }, el("button", { type: "button", id: "sweep-run", class: "main", onclick: () => this.run() }, "Run the sweep"));
  }

  async run() {
    this.controller?.abort();
    const controller = this.controller = new AbortController();
    const bar = progressBar("Sweeping", () => controller.abort());
    this.view.replaceChildren(bar.node);
    try {
      const told = await run({ ...this.about(), task: "sweep" , place: "sweep" }, { signal: controller.signal, progress: one => bar.tell(one) });
      if (this.controller === controller) this.show(told.result);
    } catch (error) {
      if (this.controller !== controller) return;
      this.view.replaceChildren(this.start(), error.name === "AbortError" ? el("p", { class: "hint" }, "The sweep was cancelled.") : failure(error));
    }
  }

  show(result) {
    this.shown = true;
    if (result.points.length === 0) {
      this.view.replaceChildren(this.start(), el("p", { class: "hint" }, "This study varies nothing: it has no table [sweep]."));
      return;
    }
    const name = this.about().file.split("/").pop().replace(/\.toml$/, "");
    const tools = this.start();
    tools.append(el("button", { type: "button", id: "sweep-csv", onclick: () => download(`${name}.csv`, "text/csv", result.csv) }, "CSV"));
    const heads = result.points.reduce((best, point) => point.figures.length > best.length ? point.figures : best, []);
    const plots = heads.map((figure, index) => this.plot(result, figure, index, name)).filter(Boolean);
    const table = el("table", { class: "cells" },
      el("thead", {}, el("tr", {}, result.axes.map(axis => el("th", { scope: "col" }, axis)), heads.map(figure => el("th", { scope: "col" }, `${figure.kind} ${figure.name}`, el("span", { class: "faint" }, ` ${figure.view}`))))),
      el("tbody", {}, result.points.map(point => el("tr", {}, point.settings.map(([, value]) => el("th", { scope: "row" }, value)),
        heads.map((_, index) => el("td", {}, point.figures[index]?.text ?? "–"))))));
    this.view.replaceChildren(tools, ...result.wrong.map(text => el("pre", { class: "failure" }, text)), ...plots,
      el("h3", {}, "All values"), el("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "All values" }, table));
    announce(`${result.points.length} points`);
  }

  /** Draws how a figure depends on the first axis, a line for each combination of the others. */
  plot(result, figure, index, name) {
    const values = [...new Set(result.points.map(point => point.settings[0]?.[1]))];
    const areNumbers = values.every(value => value !== undefined && value.trim() !== "" && Number.isFinite(Number(value)));
    const lines = new Map();
    for (const point of result.points) {
      const ends = point.figures[index]?.ends;
      if (!ends) continue;
      const rest = point.settings.slice(1).map(([axis, value]) => `${axis} = ${value}`).join(", ");
      if (!lines.has(rest)) lines.set(rest, { name: rest, points: [] });
      const first = point.settings[0][1];
      lines.get(rest).points.push({ x: areNumbers ? Number(first) : values.indexOf(first), low: ends[0], high: ends[1], text: point.figures[index].text });
    }
    const drawn = [...lines.values()].filter(line => line.points.length > 0);
    if (drawn.length === 0) return null;
    for (const line of drawn) line.points.sort((one, other) => one.x - other.x);
    const title = `${figure.kind} ${figure.name}, ${figure.view}`;
    const made = plot({ title, across: result.axes[0], up: figure.unit, lines: drawn, labels: areNumbers ? null : values });
    const button = (text, label, work) => el("button", { type: "button", "aria-label": label, title: label, onclick: work }, text);
    return el("figure", {}, el("figcaption", {}, title, el("span", { class: "tools inline" },
      button("+", "Zoom in", () => made.zoom(1 / 1.3)), button("−", "Zoom out", () => made.zoom(1.3)), button("Reset", "Show all", () => made.reset()),
      button("SVG", "Save as SVG", () => downloadPicture(`${name}-${index + 1}.svg`, made.svg)))), made.node);
  }
}
