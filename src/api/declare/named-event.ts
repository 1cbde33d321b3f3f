/** Which event an answer stands for, told beside the body: a receipt's digest over that stays true. */
import type { EventProof, Prover } from "../../anchoring/prove.ts";
import type { App } from "../../core/app.ts";
import type { EventName } from "../../core/model/refusal.ts";
import type { Caller } from "./caller.ts";
import { logPositionOf } from "./log-position.ts";

/** `log_position`: what Min-Log-Position takes; `proof`: as c2sp.org/tlog-proof has it, where it was asked for and could be had in time. */
export type NamedEvent = { event_id: string; log_position: string; proof?: string };

/** Characters of base64 that a header carries; the proof under the link is whole in any case. */
const HEADER_LIMIT = 4 * 1024;

export const proofPath = (event_id: string) => `/log/proof/${event_id}`;

/** Names the event, if there is one, in `headers`, with its proof where the caller prefers that. What `by` reads next knows of it. */
export async function nameEvent(
  { app, prover }: { app: App; prover: Prover },
  by: { caller: Caller } | undefined,
  event: EventName | undefined,
  question: { readonly prefers_proof: boolean },
  headers: Record<string, string>,
): Promise<NamedEvent | undefined> {
  if (!event) return undefined;
  const { event_id, position } = event;
  if (by) app.readers.appended(by.caller.tenant, position);
  const log_position = await logPositionOf(app, position);
  headers["Event-Id"] = event_id;
  headers["Log-Position"] = log_position;
  headers.Link = `<${proofPath(event_id)}>; rel="proof"`;
  const proof = question.prefers_proof ? await prover.prove(position) : undefined;
  if (!proof) return { event_id, log_position };
  Object.assign(headers, proofHeaders(proof));
  return { event_id, log_position, proof: proof.tlog_proof };
}

/** RFC 7240, section 3, and a byte sequence of RFC 8941. */
function proofHeaders({ tlog_proof }: EventProof): Record<string, string> {
  const base64 = Buffer.from(tlog_proof).toString("base64");
  return {
    "Preference-Applied": "proof",
    ...(base64.length <= HEADER_LIMIT && { "Tlog-Proof": `:${base64}:` }),
  };
}

/** Whether a Prefer header (RFC 7240) names the preference `proof`; an empty value is none. */
export const prefersProof = (header = ""): boolean =>
  header
    .replace(/"(?:[^"\\]|\\.)*"/g, (quoted) => (quoted === '""' ? "" : "quoted"))
    .split(",")
    .some((preference) => /^\s*proof\s*(?:=\s*)?(?:;|$)/i.test(preference));
