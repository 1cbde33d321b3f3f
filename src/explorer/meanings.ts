/** Explains event types to newcomers. */
import { ask } from "./ask.ts";
import { el } from "./dom.ts";

type Meanings = Readonly<Record<string, string>>;

let loading: Promise<Meanings> | undefined;
let loaded: Meanings = {};

/** Every type with its sentence; empty while they cannot be loaded. */
export function meanings(): Promise<Meanings> {
  loading ??= ask<Meanings>("/log/meanings.json").then(
    (all) => (loaded = all),
    () => {
      loading = undefined;
      return {};
    },
  );
  return loading;
}

/** The sentence for a type; empty for an unknown type, and before `meanings` has loaded. */
export const meaning = (type: string): HTMLElement =>
  el("span", { class: "soft meaning" }, Object.hasOwn(loaded, type) ? loaded[type]! : "");
