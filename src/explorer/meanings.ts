/** Explains event types to newcomers. */
import { ask } from "./ask.ts";
import { el } from "./dom.ts";

type Meanings = Readonly<Record<string, string>>;

let asked: Promise<Meanings> | undefined;
let known: Meanings = {};

/** Every type with its sentence; empty while they cannot be loaded. */
export function meanings(): Promise<Meanings> {
  asked ??= ask<Meanings>("/log/meanings.json").then(
    (loaded) => (known = loaded),
    () => {
      asked = undefined;
      return {};
    },
  );
  return asked;
}

/** The sentence for a type; empty for an unknown type, and before `meanings` has loaded. */
export const meaning = (type: string): HTMLElement =>
  el("span", { class: "soft meaning" }, Object.hasOwn(known, type) ? known[type]! : "");
