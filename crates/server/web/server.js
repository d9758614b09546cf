// What the page asks the server.

import { request } from "./host.js";

/** Tells this page from others that are open: their runs do not cancel each other. */
const page = Math.random().toString(36).slice(2);

export class ServerError extends Error {
  constructor(message, status) {
    super(message);
    this.status = status;
  }
}

async function post(path, body, signal) {
  let answer;
  try {
    answer = await request("/api/" + path, {
      method: "POST", signal, headers: { "content-type": "application/json" }, body: JSON.stringify(body),
    });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new ServerError("The server does not answer. Start `narrows serve` again, and open the address that it prints.", 0);
  }
  if (answer.ok) return answer;
  const text = await answer.text();
  let message = text.trim() || `the server says ${answer.status}`;
  try { message = JSON.parse(text).error ?? message; } catch { /* A plain text says it itself. */ }
  throw new ServerError(message, answer.status);
}

/** Asks, and returns the answer. */
export const ask = async (path, body, signal) => (await post(path, body, signal)).json();

/** Runs something; `progress` is told how far it is, and `partial` what is known before all is, and what that lacks. A new run for the same place cancels the one before. */
export async function run(request, { signal, progress, partial }) {
  const answer = await post("run", { ...request, place: `${page} ${request.place}` }, signal);
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) throw new ServerError("The run ended without an answer.", 0);
    rest += value;
    const lines = rest.split("\n");
    rest = lines.pop();
    for (const line of lines) {
      const told = JSON.parse(line);
      if (told.progress) progress?.(told.progress);
      else if (told.partial) partial?.(told.partial, told.lacks);
      else if (told.error) throw new ServerError(told.error, 422);
      else if (told.cancelled) throw new DOMException("cancelled", "AbortError");
      else return told;
    }
  }
}

/** Calls a function after a pause in which nobody calls again. */
export function calmly(milliseconds, work) {
  let timer;
  return (...parameters) => {
    clearTimeout(timer);
    timer = setTimeout(work, milliseconds, ...parameters);
  };
}
