// The address restores what is seen: the file, the view, and what was set in it.

import { keep, seen } from "./host.js";

const state = new URLSearchParams(seen());

/** Returns a part of the address. */
export const linked = name => state.get(name);

/** Puts parts into the address; those without a value are left out. */
export function link(parts) {
  for (const [name, value] of Object.entries(parts)) {
    if (value === null || value === undefined || value === "") state.delete(name);
    else state.set(name, value);
  }
  keep(state.toString());
}
