/** `tallystick status`: asks the service whether it is ready, and prints how to call it. */
import { readFile } from "node:fs/promises";
import { Command } from "commander";
import { z } from "zod";
import { refuse } from "../core/model/refusal.ts";
import { ownAddress } from "../runtime/address.ts";
import { about } from "./about.ts";
import { parsed } from "./demo-buyer.ts";
import { asUrl } from "./option-values.ts";
import { OWN_ADDRESS, readiness } from "./own-address.ts";
import { readyText, sandboxKeyPath } from "./ready-text.ts";
import type { Terminal } from "./terminal.ts";

const ANSWER_MS = 15_000;

export const statusCommand = (terminal: Terminal): Command =>
  new Command("status")
    .description(about.status)
    .option("--url <url>", `the service's address; ${OWN_ADDRESS}`, asUrl)
    .option("--json", "print JSON", false)
    .action(async ({ url, json }: { url?: string; json: boolean }) => {
      const config = terminal.settings();
      const address = url ?? ownAddress(config);
      const state = await stateOf(address);
      const key = url === undefined && config.SANDBOX ? await storedKey(config.DATA_DIR) : undefined;
      if (json)
        process.stdout.write(`${JSON.stringify({ url: address, ...state, sandbox_key: key ?? null })}\n`);
      else if (state.ready) process.stdout.write(readyText(address, key).trimStart());
      else process.stdout.write(`The service at ${address} is not ready: ${state.reason}\n`);
      if (!state.ready) process.exitCode = 1;
    });

type State = { ready: boolean; reason: string | null };

async function stateOf(address: string): Promise<State> {
  const { is_ours, ok, text } = await readiness(address, ANSWER_MS).catch((error: Error) =>
    refuse(
      "unavailable",
      error.name === "TimeoutError"
        ? `${address} accepts calls, but did not answer in ${ANSWER_MS / 1_000} s: it may be busy, so try again`
        : `nothing answers at ${address}; \`npm start\` starts the service, and PORT or --url names another address`,
    ),
  );
  if (!is_ours)
    refuse(
      "unavailable",
      `another program answers at ${address}, which is no Tallystick: set PORT to a free one, or name the service by --url`,
    );
  return ok ? { ready: true, reason: null } : { ready: false, reason: reasonIn(text) };
}

const notReady = z.looseObject({
  detail: z.string().optional(),
  making: z.array(z.looseObject({ dataset: z.string(), percent: z.number() })).default([]),
  missing: z.array(z.string()).nullish(),
});

/** The reason in an answer of /ready, or the answer itself. */
function reasonIn(text: string): string {
  const { success, data } = notReady.safeParse(parsed(text));
  if (!success) return text.slice(0, 200);
  const { detail, making, missing } = data;
  if (detail !== undefined) return detail;
  if (making.length > 0)
    return making.map(({ dataset, percent }) => `${dataset} is being made (${percent} %)`).join(", ");
  return missing?.length ? `data of ${missing.join(", ")} are missing` : text;
}

const storedKey = (dataDir: string): Promise<string | undefined> =>
  readFile(sandboxKeyPath(dataDir), "utf8").then(
    (text) => text.trim(),
    () => undefined,
  );
