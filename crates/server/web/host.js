// Where the page is: in a browser, or in a panel of an editor. In a panel the editor carries requests to the server,
// keeps what is seen, and has the texts.

const editor = globalThis.acquireVsCodeApi?.();

/** Whether an editor has the texts. */
export const isPanel = editor !== undefined;

/** What is seen: in a browser, the part of the address after `#`. */
export const seen = () => editor ? editor.getState() ?? document.querySelector("meta[name=seen]").content : location.hash.slice(1);

export function keep(text) {
  if (editor) editor.setState(text);
  else history.replaceState(null, "", "#" + text);
}

/** Says that a text has changed here: the editor changes it too. */
export const wrote = (file, text) => editor?.postMessage({ file, text });

/** Calls a function with each text that changes in the editor. */
export function onText(work) {
  if (editor) addEventListener("message", ({ data }) => { if (data.file !== undefined) work(data.file, data.text); });
}

/** The requests that are under way in a panel, by number, and what is done with what comes back. */
const open = new Map();
let count = 0;
if (editor) addEventListener("message", ({ data }) => open.get(data.number)?.(data));

/** Asks the server as `fetch` does. */
export const request = (path, options) => editor ? carried(path, options) : fetch(path, options);

function carried(path, { body, signal } = {}) {
  const number = ++count;
  const end = () => open.delete(number);
  return new Promise((resolve, reject) => {
    let pieces;
    const stream = new ReadableStream({ start(controller) { pieces = controller; } });
    const fail = error => {
      if (!end()) return;
      reject(error);
      pieces.error(error);
    };
    open.set(number, told => {
      if (told.status !== undefined) resolve(new Response(stream, { status: told.status }));
      else if (told.failed !== undefined) fail(new TypeError(told.failed));
      else if (told.piece !== undefined) pieces.enqueue(new TextEncoder().encode(told.piece));
      else if (end()) pieces.close();
    });
    const cancel = () => {
      editor.postMessage({ number, cancel: true });
      fail(new DOMException("cancelled", "AbortError"));
    };
    if (signal?.aborted) return cancel();
    signal?.addEventListener("abort", cancel);
    editor.postMessage({ number, path, body });
  });
}
