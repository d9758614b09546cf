// The editor: the one that was bundled, or else a plain text field.

import { createEditor as plain } from "./plain_editor.js";

export async function createEditor(parent, bundled, options) {
  if (bundled) {
    try {
      const { createEditor } = await import("./editor_bundle.js");
      return createEditor(parent, options);
    } catch (error) {
      console.warn(error);
    }
  }
  return plain(parent, options);
}
