/** Runs both verifiers on the same input. */
import { recoverKey } from "../../src/adapters/secp256k1.ts";
import { parseVerifierKey } from "../../src/anchoring/note.ts";
import { parsePolicy } from "../../src/anchoring/policy.ts";
import type { AskChain } from "../../src/audit/ask-chain.ts";
import { type VerifyPackOptions, verifyPack } from "../../src/audit/verify-pack.ts";
import { verifyPack as verifySecond } from "../../src/explorer/verifier.js";
import type { Held, PackTampering } from "./pack-tampering.ts";
import { answerOf, type World } from "./scripted-chain.ts";

const recover = recoverKey;

/** The checks to run. Default: all. */
export type Left = Pick<VerifyPackOptions, "auditChecks" | "checks">;

export const textOfLines = (lines: readonly string[]): string => `${lines.join("\n")}\n`;

async function* chunked(text: string | Uint8Array, size: number) {
  const bytes = Buffer.from(text as string);
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

const askOf =
  (world: World): AskChain =>
  async (method, params) =>
    answerOf(world, method, params) as never;

/** The first verifier's report on chunks of a size. */
export function first(text: string | Uint8Array, held: Held = {}, left: Left = {}, size = 1 << 20) {
  const { key, witnesses, policy, checkpoints, world, ...rest } = held;
  return verifyPack(chunked(text, size), {
    ...{ recover, ...rest, ...left },
    key: key === undefined ? undefined : parseVerifierKey(key),
    witnesses: witnesses?.map(parseVerifierKey) ?? [],
    policy: policy === undefined ? undefined : parsePolicy(Buffer.from(policy)),
    checkpoints: checkpoints?.map((note, n) => ({ name: `kept-${n}.note`, note })) ?? [],
    ask: world && askOf(world),
  });
}

/** The second verifier's report. */
export function second(text: string | Uint8Array, held: Held = {}) {
  const { key, checkpoints, contract, signer, network, origin, heads } = held;
  return verifySecond(text as string, {
    ...{ key, checkpoints, contract, signer, network, origin },
    heads: heads?.map(({ position, hash_prefix }) => ({ position, hash: hash_prefix })),
  });
}

type Verdicts = {
  verdicts: { name: string; ok: boolean; judged?: false; first_bad?: number; reason?: string }[];
};

/** The verdicts that fail by a fault of their own, with their first bad position. */
export const red = ({ verdicts }: Verdicts): Record<string, number> => {
  const failed = verdicts
    .filter(({ ok, judged }) => !ok && judged !== false)
    .map(({ name, first_bad }) => [name, first_bad ?? -1]);
  const { acts, ...others }: Record<string, number> = Object.fromEntries(failed);
  // Without a header every verdict fails, and a verifier of hashes alone has no verdict of acts.
  return acts === undefined || others.format === 0 ? others : { ...others, acts };
};

export const judgedByFirst = ({ lines, held }: PackTampering, left?: Left) =>
  first(textOfLines(lines), held, left);

export const judgedBySecond = ({ lines, held }: PackTampering) => second(textOfLines(lines), held);
