/** The option `--url`, and a look at who answers at an address. */
import { ownAddress } from "../runtime/address.ts";
import type { Terminal } from "./terminal.ts";

/** For `--url`: without one, the service of the settings, which are read only then. */
export const addressOf = ({ settings }: Pick<Terminal, "settings">, url: string | undefined): string =>
  url ?? ownAddress(settings());

/** The help's words for the default of `--url`. */
export const OWN_ADDRESS = "default: the one in the settings (PUBLIC_URL, or HOST and PORT)";

/** An answer of /ready; `is_ours` is false for another program's. */
export type Readiness = { is_ours: boolean; ok: boolean; text: string };

/** Rejects as fetch does where nothing answers. */
export async function readiness(address: string, ms: number): Promise<Readiness> {
  const answer = await fetch(`${address}/ready`, { signal: AbortSignal.timeout(ms) });
  const text = await answer.text();
  return { is_ours: isOurs(text), ok: answer.ok, text };
}

/** The service answers /ready with its parts, or as a problem or "leaving" at its start and its end. */
function isOurs(text: string): boolean {
  let report: unknown;
  try {
    report = JSON.parse(text);
  } catch {
    return false;
  }
  if (typeof report !== "object" || report === null) return false;
  const { status, log, type } = report as { status?: unknown; log?: unknown; type?: unknown };
  return (
    (typeof status === "string" && log !== undefined) ||
    status === "leaving" ||
    (typeof type === "string" && /\/problems#[a-z-]+$/.test(type))
  );
}
