// The files of the folder, and the texts that are open.

import { announce, el } from "./dom.js";
import { ask } from "./server.js";

/** The files that are there, and what is open, by name: text, text on disk, kind. */
export class Files {
  constructor({ list, filter, open }) {
    this.list = list;
    this.all = [];
    this.open = new Map();
    /** Texts that an editor has, of files that are not open here. */
    this.elsewhere = new Map();
    this.current = null;
    this.onOpen = open;
    filter.addEventListener("input", () => this.show(filter.value.trim().toLowerCase()));
    filter.addEventListener("keydown", event => {
      if (event.key === "Enter") this.list.querySelector("button")?.click();
    });
    this.filter = filter;
  }

  async load() {
    const folder = await ask("folder", {});
    this.all = folder.files.map(file => file.path);
    this.hasMore = folder.has_more;
    this.show(this.filter.value.trim().toLowerCase());
    return folder;
  }

  /** Shows the files whose names contain something, by folder. */
  show(wanted = this.filter.value.trim().toLowerCase()) {
    const found = this.all.filter(path => path.toLowerCase().includes(wanted));
    const folders = Map.groupBy ? Map.groupBy(found, folderOf) : groups(found);
    const lists = [...folders].map(([folder, paths]) => {
      const items = el("ul", {}, paths.map(path => this.item(path)));
      if (!folder) return items;
      const holds = this.current && folderOf(this.current) === folder;
      return el("details", { open: wanted !== "" || holds || folders.size < 4 || this.unfolded?.has(folder),
        ontoggle: event => this.unfold(folder, event.target.open) }, el("summary", {}, folder), items);
    });
    if (found.length === 0) lists.push(el("p", { class: "faint" }, wanted ? "No file has this in its name." : "There are no models or studies here: make a new file."));
    if (this.hasMore) lists.push(el("p", { class: "faint" }, "There are more files: serve a smaller folder."));
    this.list.replaceChildren(...lists);
  }

  unfold(folder, isOpen) {
    this.unfolded ??= new Set();
    if (isOpen) this.unfolded.add(folder);
    else this.unfolded.delete(folder);
  }

  item(path) {
    const name = path.slice(folderOf(path).length).replace(/^\//, "");
    const known = this.open.get(path);
    const isChanged = known && known.text !== known.saved;
    const kind = path.endsWith(".toml") ? "study" : "model";
    return el("li", {}, el("button", {
      type: "button", class: kind, "aria-current": path === this.current ? "true" : null, "data-file": path,
      onclick: () => this.choose(path),
    }, name, isChanged ? el("span", { class: "dot", title: "not saved" }, " ●") : null));
  }

  async choose(path, place) {
    if (!this.open.has(path)) {
      const read = await ask("read", { file: path });
      const text = this.elsewhere.get(path) ?? read.text;
      this.open.set(path, { text, saved: read.text, version: read.version, kind: read.language,
        isStudy: read.study, isForeign: read.language === "study" && !read.study, model: read.model });
    }
    this.current = path;
    this.show();
    await this.onOpen(path, this.open.get(path), place);
  }

  /** Returns the texts that are open and changed, as requests name them; and what a request is about. */
  about(file = this.current) {
    const texts = Object.fromEntries(this.elsewhere);
    for (const [name, { text, saved }] of this.open) if (text !== saved || name === file) texts[name] = text;
    return { file, texts };
  }

  /** Takes a text that has changed in an editor; returns whether it is the one that is shown. */
  told(path, text) {
    const known = this.open.get(path);
    if (known) known.text = text;
    else this.elsewhere.set(path, text);
    return path === this.current;
  }

  /** Saves the file; returns whether it is saved. */
  async save() {
    const file = this.current;
    const known = this.open.get(file);
    const text = known.text;
    const send = anyway => ask("save", { file, text, version: known.version, anyway });
    let saved;
    try {
      saved = await send(false);
    } catch (error) {
      if (error.status !== 409 || !confirm(error.message + ". Save it anyway, and lose what is on disk?")) throw error;
      saved = await send(true);
    }
    known.saved = text;
    known.version = saved.version;
    announce(`${file} is saved`);
    this.show();
  }

  async make(name) {
    if (this.all.includes(name)) throw new Error(`there is a file \`${name}\` already`);
    await ask("save", { file: name, text: "", version: null });
    await this.load();
    await this.choose(name);
  }
}

const folderOf = path => path.includes("/") ? path.slice(0, path.lastIndexOf("/")) : "";

function groups(paths) {
  const found = new Map();
  for (const path of paths) {
    const folder = folderOf(path);
    if (!found.has(folder)) found.set(folder, []);
    found.get(folder).push(path);
  }
  return found;
}
