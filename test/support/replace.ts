/** Parts of a running app that a test replaces: a stopped clock, a failing chain. */
import { type App, createApp } from "../../src/core/app.ts";

const replacements = new WeakMap<App, Partial<App>>();

/** An app whose members a test may replace while it runs; pass it as `replaces` when assembling. */
export function replaceable(app: App): App {
  const replaced: Partial<App> = {};
  const names = Object.keys(app) as (keyof App)[];
  const reading = (read: (name: keyof App) => unknown) =>
    Object.defineProperties(
      {},
      Object.fromEntries(names.map((name) => [name, { enumerable: true, get: () => read(name) }])),
    ) as App;
  // Its verbs use the replacements, too.
  const verbs = createApp(
    reading((name) => (name in replaced ? replaced : app)[name]),
    app.once,
  );
  const made = Object.freeze(
    reading((name) => (name in replaced ? replaced : typeof app[name] === "function" ? verbs : app)[name]),
  );
  replacements.set(made, replaced);
  return made;
}

/** Replaces parts until others are given. */
export function replace(app: App, parts: Partial<App>): void {
  const replaced = replacements.get(app);
  if (!replaced) throw new Error("this app was not assembled as replaceable");
  Object.assign(replaced, parts);
}
