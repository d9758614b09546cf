// The workbench: puts files, text and views together.

import { Answers } from "./answers.js";
import { Bottleneck } from "./bottleneck.js";
import { announce, el, markdown } from "./dom.js";
import { createEditor } from "./editor.js";
import { Files } from "./files.js";
import { isPanel, onText, wrote } from "./host.js";
import { link, linked } from "./link.js";
import { ask, calmly } from "./server.js";
import { Simulator } from "./simulator.js";
import { Sweep } from "./sweep.js";

const part = id => document.getElementById(id);
const main = document.querySelector("main");
const nonce = document.querySelector("meta[name=nonce]").content;
const VIEWS = ["answers", "simulator", "bottleneck", "sweep"];

let editor = null;
let view = VIEWS.includes(linked("view")) ? linked("view") : "answers";
let isChangedByUs = false;

const files = new Files({ list: part("list"), filter: part("filter"), open: opened });
const about = file => files.about(file);

const answers = new Answers(part("view-answers"), {
  about,
  shown(file, result) {
    if (file !== files.current) return;
    editor.answers(result.outcomes);
    shownWrong = result.wrong.filter(one => one.file === file).map(one => ({ ...one, error: false, code: "answer", text: one.text }));
    showMessages();
  },
  simulate(file, recording) {
    choose("simulator");
    simulator.start({ recording, file });
  },
});
const simulator = new Simulator(part("view-simulator"), {
  about,
  show(places, first) {
    const here = places.filter(place => place.file === files.current);
    editor.lines(here.map(place => place.place.from), first?.file === files.current);
  },
});
const bottleneck = new Bottleneck(part("view-bottleneck"), {
  about,
  write(text) {
    editor.replace(text);
    wrote(files.current, text);
  },
});
const sweep = new Sweep(part("view-sweep"), { about });

// Views.

function choose(wanted) {
  view = wanted;
  for (const name of VIEWS) {
    const tab = part("tab-" + name);
    const is = name === view;
    tab.setAttribute("aria-selected", is);
    tab.tabIndex = is ? 0 : -1;
    part("view-" + name).hidden = !is;
  }
  link({ view: view === "answers" ? null : view });
  const study = files.current && files.open.get(files.current)?.isStudy;
  if (view === "bottleneck" && study) bottleneck.seen();
  if (view !== "simulator") editor?.lines([], false);
}

for (const name of VIEWS) part("tab-" + name).addEventListener("click", () => choose(name));
document.querySelector(".tabs").addEventListener("keydown", event => {
  const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
  if (!step || event.target.getAttribute("role") !== "tab") return;
  const shown = VIEWS.filter(name => !part("tab-" + name).hidden);
  const next = shown[(shown.indexOf(view) + step + shown.length) % shown.length];
  choose(next);
  part("tab-" + next).focus();
});
part("wide").addEventListener("click", () => {
  const wide = main.classList.toggle("wide");
  part("wide").setAttribute("aria-pressed", wide);
});
for (const button of document.querySelectorAll("#panes button")) button.addEventListener("click", () => pane(button.dataset.pane));

function pane(name) {
  main.dataset.pane = name;
  for (const button of document.querySelectorAll("#panes button")) button.setAttribute("aria-current", button.dataset.pane === name);
}

// Texts.

async function opened(path, file, place) {
  const isOther = part("file").dataset.file !== path;
  part("file").textContent = path;
  part("file").dataset.file = path;
  document.title = `${path.split("/").pop()} · Narrows`;
  part("save").disabled = part("run").disabled = false;
  part("run").textContent = file.isStudy ? "Measure" : "Check";
  for (const name of ["bottleneck", "sweep"]) part("tab-" + name).hidden = !file.isStudy;
  isChangedByUs = true;
  editor.open(path, file.text, file.kind);
  isChangedByUs = false;
  if (place) editor.reveal(place);
  // An editor shows the text itself.
  pane(isPanel ? "work" : "text");
  if (!isOther) return;
  link({ file: path });
  if (isRestoring) return;
  link({ choices: null, seed: null, vary: null, pins: null });
  shownWrong = [];
  editor.answers([]);
  answers.empty();
  simulator.leave();
  bottleneck.empty();
  sweep.empty();
  choose(!file.isStudy && ["bottleneck", "sweep"].includes(view) ? "answers" : view);
  showUnsaved();
  look();
}

function changed() {
  if (isChangedByUs || !files.current) return;
  const known = files.open.get(files.current);
  const was = known.text === known.saved;
  known.text = editor.text();
  // What came out belongs to the text as it was.
  shownWrong = [];
  editor.answers([]);
  showUnsaved();
  if (was !== (known.text === known.saved)) files.show();
  look();
  bottleneck.follow();
}

onText((file, text) => {
  const isShown = files.told(file, text);
  if (isShown && editor.text() !== text) editor.replace(text);
  else if (!isShown) bottleneck.follow();
});

function showUnsaved() {
  const known = files.open.get(files.current);
  part("unsaved").hidden = !known || known.text === known.saved;
}

let messages = [];
let shownWrong = [];
let looking = null;

const look = calmly(120, async () => {
  looking?.abort();
  const controller = looking = new AbortController();
  const file = files.current;
  try {
    const [found, colours] = await Promise.all([
      ask("messages", about(), controller.signal), ask("colours", about(), controller.signal)]);
    if (controller.signal.aborted || file !== files.current) return;
    messages = found;
    editor.colours(colours);
    showMessages();
  } catch (error) {
    if (error.name !== "AbortError") announce(error.message);
  }
});

function showMessages() {
  const here = [...messages, ...shownWrong];
  editor.messages(here.filter(message => message.file === files.current));
  const rows = here.map(message => el("li", { class: message.error ? "error" : "warning" },
    el("button", { type: "button", onclick: () => goTo(message) },
      el("span", { class: "kind" }, message.error ? "error" : "warning"), " ",
      el("span", { class: "said" }, message.text.split("\n")[0]), " ",
      el("span", { class: "faint" }, `${message.file === files.current ? "line" : message.file + ":"} ${message.place.from.line + 1}`)),
    ...message.text.split("\n").slice(1).map(line => el("p", { class: "more" }, line)),
    el("span", { class: "actions" },
      message.fix ? el("button", { type: "button", class: "fix", onclick: () => fix(message) }, `Replace by ${message.fix.text}`) : null,
      /^[A-Z]\d+$/.test(message.code) ? el("button", { type: "button", class: "code", title: "What does this mean?", onclick: event => explain(message, event.target) }, message.code) : null)));
  part("problems").replaceChildren(...(rows.length > 0 ? [el("ul", {}, rows)] : []));
  part("problems").classList.toggle("none", rows.length === 0);
}

async function goTo({ file, place }) {
  if (file === files.current) editor.reveal(place);
  else await files.choose(file, place);
}

/** Replaces a word, as the message says. */
function fix(message) {
  const text = editor.text();
  const lines = text.split("\n");
  const offset = ({ line, column }) => lines.slice(0, line).reduce((sum, one) => sum + one.length + 1, 0) + column;
  const { from, to } = message.fix.place;
  editor.replace(text.slice(0, offset(from)) + message.fix.text + text.slice(offset(to)));
  editor.focus();
}

async function explain(message, button) {
  const item = button.closest("li");
  const old = item.querySelector(".explanation");
  if (old) return old.remove();
  try {
    const told = await ask("explain", { code: message.code });
    item.append(el("div", { class: "explanation" }, el("h3", {}, `${told.code}: ${told.title}`), ...markdown(told.text)));
  } catch (error) {
    announce(error.message);
  }
}

const asks = {
  completions: place => ask("completions", { ...about(), ...place }).catch(() => []),
  async hover(place) {
    const told = await ask("hover", { ...about(), ...place });
    if (!told) return null;
    const values = simulator.valuesOf(told.name);
    const now = values.length > 0 ? el("p", { class: "now" }, el("span", { class: "faint" }, `at step ${simulator.state.step}: `), values.join(", ")) : null;
    return { ...told, dom: el("div", { class: "hover" }, ...markdown(told.text), now) };
  },
  async definition(place) {
    const found = await ask("definition", { ...about(), ...place }).catch(() => null);
    if (found) await goTo(found);
  },
};

// What the user does.

async function save() {
  if (!files.current) return;
  try {
    await files.save();
    showUnsaved();
  } catch (error) {
    announce(error.message);
    alert(error.message);
  }
}

function check() {
  choose("answers");
  if (matchMedia("(max-width: 56rem)").matches) pane("work");
  answers.check();
}

part("save").addEventListener("click", save);
part("run").addEventListener("click", check);
part("new").addEventListener("click", async () => {
  const name = prompt("Name of the new file, such as design.pml or study.toml")?.trim();
  if (!name) return;
  try {
    await files.make(name);
  } catch (error) {
    alert(error.message);
  }
});
document.addEventListener("keydown", event => {
  if (!(event.ctrlKey || event.metaKey)) return;
  if (event.key === "s") {
    event.preventDefault();
    save();
  } else if (event.key === "Enter") {
    event.preventDefault();
    check();
  } else if (event.key === "p" && !event.shiftKey) {
    event.preventDefault();
    pane("files");
    part("filter").focus();
  }
}, true);
addEventListener("beforeunload", event => {
  if ([...files.open.values()].some(({ text, saved }) => text !== saved)) event.preventDefault();
});

// The beginning.

let isRestoring = false;

async function begin() {
  document.documentElement.classList.toggle("panel", isPanel);
  if (isPanel) part("wide").click();
  pane("files");
  const folder = await files.load();
  part("folder").textContent = folder.folder;
  // Some prefer a plain text field, such as with a screen reader.
  const isWanted = linked("plain") === null;
  editor = await createEditor(part("editor"), folder.bundled && isWanted, { nonce, asks, tells: { changed } });
  part("plain").hidden = folder.bundled;
  choose(view);
  const file = linked("file");
  if (!file || !files.all.includes(file)) return;
  isRestoring = true;
  await files.choose(file);
  isRestoring = false;
  if (!files.open.get(file).isStudy && ["bottleneck", "sweep"].includes(view)) view = "answers";
  const restored = { simulator: () => linked("choices") !== null && simulator.restore(), bottleneck: () => bottleneck.open(true), sweep: () => sweep.run() }[view];
  const wanted = view;
  if (wanted === "bottleneck") bottleneck.last = {};
  choose(wanted);
  showUnsaved();
  look();
  await restored?.();
}

begin().then(() => document.documentElement.classList.add("ready"), error => {
  announce(error.message);
  part("list").replaceChildren(el("p", { class: "failure" }, error.message));
});
