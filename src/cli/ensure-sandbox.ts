/** Creates a missing sandbox at the service's start, while everything else is answered. */
import { setTimeout as pause } from "node:timers/promises";
import type { Logger } from "pino";
import type { App } from "../core/app.ts";
import { trackBuild } from "../datasets/builds.ts";
import type { Progress } from "../datasets/progress.ts";
import { SANDBOX } from "../datasets/sandbox.ts";
import { SANDBOX_LV } from "../datasets/sandbox-lv.ts";
import type { Config } from "../runtime/config.ts";
import { buildOptions } from "./build-options.ts";
import { dataOpened } from "./data-opened.ts";
import { withProgress } from "./progress-bar.ts";

/** Creates the missing parts of the sandbox; `ready` is called once every operation answers. */
export type MakeSandbox = (signal: AbortSignal, ready?: () => void) => Promise<void>;

/** Reactors prepare what the examples need long before the data are made; a process without reactors does not wait for more. */
const MOST_LOOKS = 20;
const LOOK_MS = 250;

/** Announces the sandbox to the service. */
export function expectSandbox(
  app: App,
  config: Config,
  log: Logger,
  own_calls: Set<string> = new Set(),
): MakeSandbox {
  const parts = ([SANDBOX, SANDBOX_LV] as const).map((dataset) => ({ dataset, ...trackBuild() }));
  app.vintage_store.expect(
    parts.map(({ dataset, making }) => ({ dataset, synthetic: true, released: false, making })),
  );
  return async (signal, ready) => {
    try {
      // This code takes long to load, and the server listens already.
      const { releaseSandboxTables } = await import("../operator/reference.ts");
      const { isUsable, releaseSandbox, releaseSandboxLv } = await import("../operator/releases.ts");
      const { openSandboxExamples } = await import("../operator/sandbox-examples.ts");
      const { openSandboxShop } = await import("../operator/sandbox-shop.ts");
      const { buyAsSandboxAgents, makeSandboxAgents } = await import("./sandbox-calls.ts");
      const makers = { [SANDBOX]: releaseSandbox, [SANDBOX_LV]: releaseSandboxLv };
      const make = async ({ dataset, progress: follow }: (typeof parts)[number]) => {
        if (await isUsable(app, dataset)) return;
        const build = (show: Progress) => {
          const progress: Progress = (...step) => {
            follow(...step);
            show(...step);
          };
          return makers[dataset](app, { ...buildOptions(config), progress, signal });
        };
        const tell = (stage: string, percent: number) =>
          log.info({ dataset, stage, percent }, "a sandbox dataset is being made");
        const { facts } = await withProgress(dataset, tell, build);
        log.info({ dataset, vintage: facts.vintage, rows: facts.rows }, "a sandbox dataset is ready");
      };
      const fill = async () => {
        await releaseSandboxTables(app, config.DATA_DIR, { only_missing: true });
        await openSandboxShop(app);
        await makeSandboxAgents(app);
      };
      const makeParts = async () => {
        // The first dataset is requested most, and the other one is split from it.
        for (const part of parts) await make(part);
      };
      await Promise.all([makeParts(), fill()]);
      // A released dataset answers only once this process has opened it.
      await dataOpened(app, signal);
      ready?.();
      for (let left = MOST_LOOKS; left > 0 && !(await openSandboxExamples(app)); left--)
        await pause(LOOK_MS, undefined, { signal });
      await buyAsSandboxAgents(app, log, signal, own_calls);
    } catch (error) {
      if (signal.aborted) return;
      log.error({ err: error }, "the sandbox failed; `tallystick sandbox` tries again");
      ready?.();
    }
  };
}
