/** `tallystick verify` for an answer of GET /log/proof/{event_id}: one event in one signed checkpoint. */
import { readFile, stat } from "node:fs/promises";
import { printable } from "../../eventstore/verify/report.ts";
import { refuse } from "../core/model/refusal.ts";
import { type HeldLog, provenEvent } from "./logged-event.ts";

/** An event's payload is smaller. */
const MOST_BYTES = 4 * 1024 * 1024;

type ProofAnswer = { event: object; inclusion: unknown; pending?: { detail?: string } | null };

/** Undefined for an export, which has several lines. */
export async function proofIn(files: readonly string[]): Promise<ProofAnswer | undefined> {
  const [file] = files;
  if (file === undefined || files.length > 1 || file === "-") return undefined;
  try {
    if ((await stat(file)).size > MOST_BYTES) return undefined;
    const value: unknown = JSON.parse(await readFile(file, "utf8"));
    const isProof = typeof value === "object" && value !== null && "event" in value && "inclusion" in value;
    return isProof ? (value as ProofAnswer) : undefined;
  } catch {
    return undefined;
  }
}

/** The text for people and the exit status: 2 if nothing could be checked yet. `unused`: options that need an export. */
export function verifyProofFile(
  answer: ProofAnswer,
  held: HeldLog,
  unused: Readonly<Record<string, unknown>>,
): { text: string; code: 0 | 1 | 2 } {
  const [other] = Object.entries(unused).find(([, value]) => value !== undefined && !isEmpty(value)) ?? [];
  if (other)
    refuse("invalid", `--${other} needs an export; a proof of one event takes --key, --witness, --policy`);
  const detail = answer.pending?.detail;
  if (detail) return { text: printable(`?    not yet: ${detail}`), code: 2 };
  const proven = provenEvent(answer, held);
  if (typeof proven === "string") return { text: `${printable(`FAIL ${proven}`)}\nNOT verified`, code: 1 };
  const { position, type, stream_id, by } = proven;
  const event = `event ${position}, ${type} of stream ${stream_id}`;
  return { text: `${printable(`ok   ${event}, is in a checkpoint signed by ${by}`)}\nverified`, code: 0 };
}

const isEmpty = (value: unknown): boolean => value === false || (Array.isArray(value) && value.length === 0);
