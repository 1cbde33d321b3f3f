/** What types of events mean, in words for whoever knows nothing of the service. */
import { ask } from "./ask.ts";
import { el } from "./dom.ts";

let asked: Promise<Record<string, string>> | undefined;

/** The sentence for a type, once it is here; empty for a type that the service does not know. */
export function meaning(type: string): HTMLElement {
  const told = el("span", { class: "soft meaning" });
  asked ??= ask<Record<string, string>>("/log/meanings.json").catch(() => {
    asked = undefined;
    return {};
  });
  void asked.then((known) => {
    if (Object.hasOwn(known, type)) told.append(known[type]!);
  });
  return told;
}
