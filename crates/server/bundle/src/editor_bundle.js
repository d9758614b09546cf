// The editor with colours, completion and messages, made of CodeMirror. It has the same methods as the plain
// text field in plain_editor.js. Places are lines and columns, counted from 0.

import { autocompletion, closeBrackets, closeBracketsKeymap, completionKeymap } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
import { bracketMatching, indentUnit, StreamLanguage, syntaxHighlighting, HighlightStyle } from "@codemirror/language";
import { lintGutter, lintKeymap, setDiagnostics } from "@codemirror/lint";
import { highlightSelectionMatches, searchKeymap } from "@codemirror/search";
import { Compartment, EditorState, StateEffect, StateField } from "@codemirror/state";
import {
  Decoration, drawSelection, EditorView, highlightActiveLine, highlightActiveLineGutter, hoverTooltip, keymap,
  lineNumbers, WidgetType,
} from "@codemirror/view";
import { tags } from "@lezer/highlight";

/** What can be told without knowing names: comments, texts, numbers, and the tables of studies. */
const LANGUAGES = {
  Promela: { line: "//", block: ["/*", "*/"], quote: /"/ },
  SMV: { line: "--", block: ["/--", "--/"], quote: /"/ },
  LOTOS: { line: null, block: ["(*", "*)"], quote: /"/ },
  study: { line: "#", block: null, quote: /["']/ },
};

function tokens({ line, block, quote }, isStudy) {
  return StreamLanguage.define({
    startState: () => ({ inside: false }),
    token(stream, state) {
      if (state.inside) {
        state.inside = !stream.skipTo(block[1]);
        if (state.inside) stream.skipToEnd();
        else stream.match(block[1]);
        return "comment";
      }
      if (stream.eatSpace()) return null;
      if (line && stream.match(line)) {
        stream.skipToEnd();
        return "comment";
      }
      if (block && stream.match(block[0])) {
        state.inside = true;
        return "comment";
      }
      if (isStudy && stream.sol() && stream.match(/\[\[?[^\]]*\]\]?/)) return "heading";
      if (quote.test(stream.peek())) {
        const mark = stream.next();
        for (let next = stream.next(); next !== undefined && next !== mark; next = stream.next()) {
          if (next === "\\") stream.next();
        }
        return isStudy && /^\s*=/.test(stream.string.slice(stream.pos)) ? "propertyName" : "string";
      }
      if (stream.match(/\d[\d_.]*([eE][+-]?\d+)?/)) return "number";
      if (stream.match(/[A-Za-z_][\w-]*/)) {
        if (!isStudy) return null;
        return /^\s*=/.test(stream.string.slice(stream.pos)) ? "propertyName" : "keyword";
      }
      stream.next();
      return null;
    },
  });
}

const COLOURS = HighlightStyle.define([
  { tag: tags.comment, class: "t-comment" },
  { tag: tags.string, class: "t-string" },
  { tag: tags.number, class: "t-number" },
  { tag: tags.heading, class: "t-type" },
  { tag: tags.propertyName, class: "t-variable" },
  { tag: tags.keyword, class: "t-keyword" },
]);

/** A set of marks that moves along with the text. */
function marks() {
  const effect = StateEffect.define();
  const field = StateField.define({
    create: () => Decoration.none,
    update(set, transaction) {
      let now = set.map(transaction.changes);
      for (const one of transaction.effects) if (one.is(effect)) now = one.value;
      return now;
    },
    provide: known => EditorView.decorations.from(known),
  });
  return { effect, field };
}

const words = marks();
const answers = marks();
const lines = marks();

class Answer extends WidgetType {
  constructor(text, fails) {
    super();
    this.text = text;
    this.fails = fails;
  }

  eq(other) {
    return other.text === this.text && other.fails === this.fails;
  }

  toDOM() {
    const node = document.createElement("span");
    node.className = this.fails ? "beside fails" : "beside";
    node.textContent = this.text;
    return node;
  }
}

/** Makes an editor; `asks` has what it asks: completions, hover, definition; `tells` what it tells. */
export function createEditor(parent, { nonce, asks, tells }) {
  const language = new Compartment();
  const states = new Map();
  let name = null;

  const offset = (doc, { line, column }) => {
    if (line >= doc.lines) return doc.length;
    const found = doc.line(line + 1);
    return Math.min(found.from + column, found.to);
  };
  const position = (doc, at) => {
    const line = doc.lineAt(at);
    return { line: line.number - 1, column: at - line.from };
  };
  const span = (doc, place) => {
    const from = offset(doc, place.from);
    return { from, to: Math.max(from, offset(doc, place.to)) };
  };

  async function complete(context) {
    const word = context.matchBefore(/\w*/);
    const before = context.state.sliceDoc(Math.max(0, context.pos - 1), context.pos);
    if (!context.explicit && (!word || word.from === word.to) && !/[.:@"]/.test(before)) return null;
    const found = await asks.completions(position(context.state.doc, context.pos));
    if (context.aborted || found.length === 0) return null;
    const from = offset(context.state.doc, found[0].replaces.from);
    // What the text names comes before the words of the language.
    const options = found.map(({ text, detail, kind }) =>
      ({ label: text, detail, type: kind, boost: kind === "keyword" ? -1 : 1 }));
    return { from, options, validFor: /^\w*$/ };
  }

  async function hover(view, at) {
    const told = await asks.hover(position(view.state.doc, at)).catch(() => null);
    if (!told) return null;
    const { from, to } = span(view.state.doc, told.place);
    return { pos: from, end: to, above: true, create: () => ({ dom: told.dom }) };
  }

  const follow = view => {
    asks.definition(position(view.state.doc, view.state.selection.main.head));
    return true;
  };

  const extensions = [
    EditorView.cspNonce.of(nonce),
    lineNumbers(), lintGutter(), highlightActiveLine(), highlightActiveLineGutter(), drawSelection(), history(),
    bracketMatching(), closeBrackets(), indentUnit.of("  "), highlightSelectionMatches(),
    syntaxHighlighting(COLOURS), words.field, answers.field, lines.field,
    autocompletion({ override: [complete], icons: true }),
    hoverTooltip(hover, { hoverTime: 350 }),
    EditorView.contentAttributes.of({ "aria-label": "Text of the file", tabindex: "0" }),
    EditorView.updateListener.of(update => {
      if (update.docChanged) tells.changed();
    }),
    keymap.of([
      { key: "F12", run: follow },
      ...closeBracketsKeymap, ...defaultKeymap, ...searchKeymap, ...historyKeymap, ...completionKeymap, ...lintKeymap,
      indentWithTab,
    ]),
    EditorView.domEventHandlers({
      mousedown(event, view) {
        if (!event.ctrlKey && !event.metaKey) return false;
        const at = view.posAtCoords({ x: event.clientX, y: event.clientY });
        if (at === null) return false;
        asks.definition(position(view.state.doc, at));
        return true;
      },
    }),
  ];

  const view = new EditorView({ parent, state: EditorState.create({ doc: "", extensions }) });

  return {
    isPlain: false,
    open(file, text, kind) {
      if (name !== null) states.set(name, view.state);
      name = file;
      const known = states.get(file);
      if (known && known.sliceDoc() === text) {
        view.setState(known);
        return;
      }
      const rules = LANGUAGES[kind] ?? LANGUAGES.Promela;
      const lineEnd = text.includes("\r\n") ? "\r\n" : "\n";
      view.setState(EditorState.create({
        doc: text,
        extensions: [...extensions, EditorState.lineSeparator.of(lineEnd), language.of(tokens(rules, kind === "study"))],
      }));
    },
    forget: file => states.delete(file),
    text: () => view.state.sliceDoc(),
    /** Replaces the whole text, so that it can be undone; what stays the same at both ends is not touched. */
    replace(text) {
      const old = view.state.sliceDoc();
      let from = 0;
      while (from < old.length && from < text.length && old[from] === text[from]) from++;
      let [end, newEnd] = [old.length, text.length];
      while (end > from && newEnd > from && old[end - 1] === text[newEnd - 1]) [end, newEnd] = [end - 1, newEnd - 1];
      if (view.state.lineBreak === "\n") {
        view.dispatch({ changes: { from, to: end, insert: text.slice(from, newEnd) } });
      } else {
        view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: text } });
      }
    },
    messages(list) {
      const doc = view.state.doc;
      const told = list.map(message => ({
        ...span(doc, message.place),
        severity: message.error ? "error" : "warning",
        message: message.text,
        source: message.code,
        actions: message.fix ? [{
          name: "Replace by " + message.fix.text,
          apply: now => now.dispatch({ changes: { ...span(now.state.doc, message.fix.place), insert: message.fix.text } }),
        }] : [],
      }));
      view.dispatch(setDiagnostics(view.state, told));
    },
    colours(list) {
      const doc = view.state.doc;
      const ranges = [];
      for (const [line, column, length, kind] of list) {
        const from = offset(doc, { line, column });
        const to = Math.min(from + length, doc.length);
        if (to > from) ranges.push(Decoration.mark({ class: "t-" + kind }).range(from, to));
      }
      view.dispatch({ effects: words.effect.of(Decoration.set(ranges, true)) });
    },
    answers(list) {
      const doc = view.state.doc;
      const ranges = list.map(({ place, text, fails }) => {
        const at = doc.lineAt(place ? offset(doc, place.to) : 0).to;
        return Decoration.widget({ widget: new Answer(text, fails), side: 1 }).range(at);
      });
      view.dispatch({ effects: answers.effect.of(Decoration.set(ranges, true)) });
    },
    /** Marks lines, as those where processes are; the first one comes into sight if that is wanted. */
    lines(list, reveals) {
      const doc = view.state.doc;
      const starts = [...new Set(list.map(({ line }) => doc.line(Math.min(line + 1, doc.lines)).from))];
      const effects = [lines.effect.of(Decoration.set(
        starts.map(at => Decoration.line({ class: "here" }).range(at)), true))];
      if (reveals && starts.length > 0) effects.push(EditorView.scrollIntoView(starts[0], { y: "center" }));
      view.dispatch({ effects });
    },
    reveal(place) {
      const { from } = span(view.state.doc, place);
      view.dispatch({ selection: { anchor: from }, effects: EditorView.scrollIntoView(from, { y: "center" }) });
      view.focus();
    },
    cursor: () => position(view.state.doc, view.state.selection.main.head),
    focus: () => view.focus(),
  };
}
