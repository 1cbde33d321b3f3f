/** Names an answer's event in headers, because a member of the body would change the digest in the receipt. */
import type { EventProof, Prover } from "../../anchoring/prove.ts";
import type { App } from "../../core/app.ts";
import type { EventName } from "../../core/model/refusal.ts";
import { logPositionOf } from "./log-position.ts";

/** `log_position`: for Min-Log-Position. `proof` (c2sp.org/tlog-proof): if it was requested and ready in time. */
export type NamedEvent = { event_id: string; log_position: string; proof?: string };

/** A larger proof is only linked, because proxies limit headers. */
const HEADER_LIMIT = 4 * 1024;

export const proofPath = (event_id: string) => `/log/proof/${event_id}`;

export async function namedEvent(
  { app, prover }: { app: App; prover: Prover },
  event: EventName | undefined,
  { prefers_proof }: { readonly prefers_proof: boolean },
): Promise<{ event: NamedEvent; headers: Record<string, string> } | undefined> {
  if (!event) return undefined;
  const { event_id, position } = event;
  const log_position = await logPositionOf(app, position);
  const proof = prefers_proof ? await prover.prove(position) : undefined;
  const headers = {
    "Event-Id": event_id,
    "Log-Position": log_position,
    Link: `<${proofPath(event_id)}>; rel="proof"`,
    ...(proof && proofHeaders(proof)),
  };
  return { event: { event_id, log_position, ...(proof && { proof: proof.tlog_proof }) }, headers };
}

function proofHeaders({ tlog_proof }: EventProof): Record<string, string> {
  const base64 = Buffer.from(tlog_proof).toString("base64");
  return {
    "Preference-Applied": "proof",
    ...(base64.length <= HEADER_LIMIT && { "Tlog-Proof": `:${base64}:` }),
  };
}

export const prefersProof = (header?: string): boolean => prefers(header, "proof");

/** True if the Prefer header (RFC 7240) names this preference without a value. */
export const prefers = (header = "", preference: string): boolean =>
  header
    .replace(/"(?:[^"\\]|\\.)*"/g, (quoted) => (quoted === '""' ? "" : "quoted"))
    .split(",")
    .some((one) => {
      const [, name, value] = /^\s*([\w-]+)\s*(?:=\s*([^;\s]*))?\s*(?:;|$)/.exec(one) ?? [];
      return name?.toLowerCase() === preference && !value;
    });
