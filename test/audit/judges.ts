/** Both verifiers, asked the same. */
import { verifyExport } from "../../eventstore/verify/verify-export.ts";
import { keyRecovery } from "../../src/adapters/secp256k1.ts";
import { parseVerifierKey } from "../../src/anchoring/note.ts";
import { Audit, type AuditOptions } from "../../src/audit/audit.ts";
import { verifyPack as verifySecond } from "../../src/explorer/verifier.js";
import type { Held, PackTampering } from "./pack-tampering.ts";

const { recover } = keyRecovery();

export type Left = Pick<AuditOptions, "auditChecks"> &
  Pick<Parameters<typeof verifyExport>[1] & object, "checks">;

export const textOfLines = (lines: readonly string[]): string => `${lines.join("\n")}\n`;

async function* chunk(text: string | Uint8Array) {
  yield Buffer.from(text as string);
}

/** The first verifier's report. */
export function first(text: string | Uint8Array, held: Held = {}, left: Left = {}) {
  const { key, witnesses, checkpoints, chain, contract, signer, network, events, origin, heads, ...rest } =
    held;
  const companion = new Audit({
    ...{ recover, contract, signer, network, chain, events, auditChecks: left.auditChecks },
    key: key === undefined ? undefined : parseVerifierKey(key),
    witnesses: witnesses?.map(parseVerifierKey),
    checkpoints: checkpoints?.map((note, n) => ({ name: `kept-${n}.note`, note })),
  });
  return verifyExport(chunk(text), { ...rest, origin, heads, checks: left.checks, companion });
}

/** The second verifier's report. */
export function second(text: string | Uint8Array, held: Held = {}) {
  const { key, checkpoints, contract, signer, network, origin, heads } = held;
  return verifySecond(text as string, {
    ...{ key, checkpoints, contract, signer, network, origin },
    heads: heads?.map(({ position, hash_prefix }) => ({ position, hash: hash_prefix })),
  });
}

type Verdicts = { verdicts: { name: string; ok: boolean; first_bad?: number; reason?: string }[] };

export const red = ({ verdicts }: Verdicts): Record<string, number> =>
  Object.fromEntries(verdicts.filter(({ ok }) => !ok).map(({ name, first_bad }) => [name, first_bad ?? -1]));

export const judgedByFirst = ({ lines, held }: PackTampering, left?: Left) =>
  first(textOfLines(lines), held, left);

export const judgedBySecond = ({ lines, held }: PackTampering) => second(textOfLines(lines), held);
