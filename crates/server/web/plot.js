// A plot of lines that can be zoomed and moved, with the values under the pointer.

import { el, short } from "./dom.js";

const SPACE = "http://www.w3.org/2000/svg";
const [WIDTH, HEIGHT] = [640, 300];
const BOX = { left: 66, right: 14, top: 14, bottom: 40 };

function shape(kind, properties, ...children) {
  const node = document.createElementNS(SPACE, kind);
  for (const [name, value] of Object.entries(properties)) node.setAttribute(name, value);
  node.append(...children);
  return node;
}

/** Returns round numbers between two ends. */
function ticks(low, high) {
  const rough = (high - low) / 5;
  if (!(rough > 0)) return [low];
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map(factor => factor * power).find(one => one >= rough);
  const found = [];
  for (let at = Math.ceil(low / step) * step; at <= high + step * 1e-9; at += step) found.push(Number(at.toPrecision(12)));
  return found;
}

/**
 * Draws lines: each has a name and points with `x`, `low`, `high` and a text. The texts of `labels` stand below
 * whole numbers if values across are no numbers.
 */
export function plot({ title, across, up, lines, labels }) {
  const points = lines.flatMap(line => line.points);
  const ends = of => [Math.min(...points.map(of)), Math.max(...points.map(of))];
  const padded = ([low, high], part) => low === high ? [low - (Math.abs(low) || 1) * .1, high + (Math.abs(high) || 1) * .1]
    : [low - (high - low) * part, high + (high - low) * part];
  const whole = { x: padded(ends(point => point.x), .03), y: padded([Math.min(0, ends(point => point.low)[0]), ends(point => point.high)[1]], .06) };
  if (whole.y[0] < 0 && points.every(point => point.low >= 0)) whole.y[0] = 0;
  let seen = structuredClone(whole);

  const svg = shape("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, class: "plot live", role: "img", "aria-label": `${title}. ${describe(lines)}` });
  const told = el("output", { class: "told", "aria-live": "polite" }, "Point at the plot, or move through it with the arrow keys.");
  let marked = null;

  const [right, bottom] = [WIDTH - BOX.right, HEIGHT - BOX.bottom];
  const px = value => BOX.left + (value - seen.x[0]) / (seen.x[1] - seen.x[0]) * (right - BOX.left);
  const py = value => bottom - (value - seen.y[0]) / (seen.y[1] - seen.y[0]) * (bottom - BOX.top);

  function draw() {
    const parts = [shape("rect", { class: "back", width: WIDTH, height: HEIGHT })];
    const text = (x, y, words, kind) => shape("text", { x, y, class: kind }, words);
    for (const at of ticks(...seen.y)) {
      parts.push(shape("line", { class: "grid", x1: BOX.left, x2: right, y1: py(at), y2: py(at) }), text(BOX.left - 8, py(at) + 4, short(at), "faint right"));
    }
    const marks = labels ? labels.map((_, index) => index).filter(at => at >= seen.x[0] && at <= seen.x[1]) : ticks(...seen.x);
    for (const at of marks) parts.push(text(px(at), bottom + 17, labels ? labels[at] : short(at), "faint middle"));
    parts.push(text((BOX.left + right) / 2, HEIGHT - 6, across, "faint middle"));
    if (up) parts.push(text(BOX.left, BOX.top - 2, up, "faint"));
    const clip = "clip" + Math.random().toString(36).slice(2);
    parts.push(shape("clipPath", { id: clip }, shape("rect", { x: BOX.left, y: BOX.top - 4, width: right - BOX.left, height: bottom - BOX.top + 8 })));
    const drawn = shape("g", { "clip-path": `url(#${clip})` });
    lines.forEach((line, number) => {
      const colour = "c" + number % 8;
      const path = line.points.map((point, index) => `${index ? "L" : "M"}${px(point.x).toFixed(1)} ${py((point.low + point.high) / 2).toFixed(1)}`).join("");
      drawn.append(shape("path", { d: path, class: "curve " + colour }));
      for (const point of line.points) {
        if (point.high > point.low) drawn.append(shape("line", { class: "span " + colour, x1: px(point.x), x2: px(point.x), y1: py(point.low), y2: py(point.high) }));
        drawn.append(shape("circle", { class: "dots " + colour, cx: px(point.x), cy: py((point.low + point.high) / 2), r: marked?.point === point ? 6 : 3.5 }));
      }
    });
    parts.push(drawn);
    svg.replaceChildren(...parts);
  }

  function mark(found) {
    marked = found;
    told.textContent = `${found.line.name ? found.line.name + ": " : ""}${across} ${labels ? labels[found.point.x] : short(found.point.x)}, ${found.point.text}`;
    draw();
  }

  /** Zooms about a place by a factor. */
  function zoom(factor, at = { x: (seen.x[0] + seen.x[1]) / 2, y: (seen.y[0] + seen.y[1]) / 2 }) {
    for (const axis of ["x", "y"]) seen[axis] = seen[axis].map(end => at[axis] + (end - at[axis]) * factor);
    draw();
  }

  function place(event) {
    const box = svg.getBoundingClientRect();
    const x = (event.clientX - box.left) / box.width * WIDTH;
    const y = (event.clientY - box.top) / box.height * HEIGHT;
    return { px: x, py: y, x: seen.x[0] + (x - BOX.left) / (right - BOX.left) * (seen.x[1] - seen.x[0]),
      y: seen.y[0] + (bottom - y) / (bottom - BOX.top) * (seen.y[1] - seen.y[0]) };
  }

  let held = null;
  svg.addEventListener("pointerdown", event => {
    held = place(event);
    svg.setPointerCapture(event.pointerId);
  });
  svg.addEventListener("pointerup", () => { held = null; });
  svg.addEventListener("pointermove", event => {
    const now = place(event);
    if (held) {
      for (const axis of ["x", "y"]) seen[axis] = seen[axis].map(end => end + held[axis] - now[axis]);
      draw();
      return;
    }
    const all = lines.flatMap(line => line.points.map(point => ({ line, point })));
    const far = ({ point }) => Math.hypot(px(point.x) - now.px, py((point.low + point.high) / 2) - now.py);
    const near = all.reduce((best, one) => far(one) < far(best) ? one : best, all[0]);
    if (near && near.point !== marked?.point) mark(near);
  });
  svg.addEventListener("wheel", event => {
    event.preventDefault();
    zoom(event.deltaY > 0 ? 1.2 : 1 / 1.2, place(event));
  }, { passive: false });

  const figure = el("div", { class: "plot-frame", tabindex: "0", role: "group", "aria-label": title, onkeydown(event) {
    const all = lines.flatMap(line => line.points.map(point => ({ line, point })));
    const at = all.findIndex(one => one.point === marked?.point);
    const move = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (move) mark(all[Math.max(0, Math.min(all.length - 1, at + move))]);
    else if (event.key === "+") zoom(1 / 1.3);
    else if (event.key === "-") zoom(1.3);
    else if (event.key === "0") reset();
    else return;
    event.preventDefault();
  } }, svg);
  function reset() {
    seen = structuredClone(whole);
    draw();
  }
  draw();
  const legend = lines.length > 1 ? el("ul", { class: "legend" }, lines.map((line, number) => el("li", { class: "k" + number % 8 }, line.name))) : null;
  return { node: el("div", {}, legend, figure, told), svg, zoom, reset };
}

/** Says in words what the lines show, for those who do not see them. */
function describe(lines) {
  return lines.map(line => `${line.name ? line.name + ": " : ""}${line.points.map(point => point.text).join(", ")}`).join(". ");
}
