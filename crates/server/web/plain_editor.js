// A plain text field, for a program that was built without the editor. It has the same methods.

import { el } from "./dom.js";

export function createEditor(parent, { tells }) {
  const field = el("textarea", {
    class: "plain", spellcheck: "false", autocapitalize: "off", autocomplete: "off", "aria-label": "Text of the file",
    oninput: () => tells.changed(),
  });
  const beside = el("ul", { class: "plain-answers", "aria-label": "Answers" });
  parent.append(field, beside);
  let windows = false;
  const value = () => windows ? field.value.replace(/\n/g, "\r\n") : field.value;
  const offset = ({ line, column }) => {
    const lines = field.value.split("\n");
    return lines.slice(0, line).reduce((sum, text) => sum + text.length + 1, 0) + Math.min(column, lines[line]?.length ?? 0);
  };
  return {
    isPlain: true,
    open(file, text) {
      windows = text.includes("\r\n");
      field.value = text.replace(/\r\n/g, "\n");
      beside.replaceChildren();
    },
    forget() {},
    text: value,
    replace(text) {
      field.value = text.replace(/\r\n/g, "\n");
      tells.changed();
    },
    messages() {},
    colours() {},
    answers(list) {
      beside.replaceChildren(...list.map(({ place, text, fails }) =>
        el("li", { class: fails ? "fails" : "" }, place ? `line ${place.from.line + 1}: ${text}` : text)));
    },
    lines() {},
    reveal(place) {
      field.focus();
      field.setSelectionRange(offset(place.from), offset(place.to));
    },
    cursor() {
      const before = field.value.slice(0, field.selectionStart).split("\n");
      return { line: before.length - 1, column: before.at(-1).length };
    },
    focus: () => field.focus(),
  };
}
