/** Explains event types to newcomers. */
import { ask } from "./ask.ts";
import { el } from "./dom.ts";

let meanings: Promise<Record<string, string>> | undefined;

/** The sentence for a type, once loaded; empty for an unknown type. */
export function meaning(type: string): HTMLElement {
  const label = el("span", { class: "soft meaning" });
  meanings ??= ask<Record<string, string>>("/log/meanings.json").catch(() => {
    meanings = undefined;
    return {};
  });
  void meanings.then((known) => {
    if (Object.hasOwn(known, type)) label.append(known[type]!);
  });
  return label;
}
