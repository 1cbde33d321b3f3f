/** The addresses of MCP resources, and the links to them in a tool's result. */
import type { CallToolRequestParams, CallToolResult } from "@modelcontextprotocol/server";
import type { Hex } from "../../core/model/chain.ts";
import { idOf } from "../../domain/payments/payment.ts";

export type Kind = "vintages" | "reports" | "receipts" | "proofs";

/** The kinds of resources. `operation` reads a resource whose id is the operation's input `field`. */
export const kinds: Record<Kind, { operation: string; field: string; title: string; about: string }> = {
  vintages: {
    operation: "vintage",
    field: "vintage",
    title: "A vintage of a dataset",
    about:
      "Months, rows, sums and digests of an immutable state of a dataset; an answer's `meta.vintage` names it",
  },
  reports: {
    operation: "report",
    field: "report_id",
    title: "A report of yours",
    about: "Findings and the facts that they cite, as JSON; needs the key or wallet that made it",
  },
  receipts: {
    operation: "payment_status",
    field: "id",
    title: "A payment's receipt",
    about: "Amount, transaction, finality, refund, and seals of its request and answer",
  },
  proofs: {
    operation: "log_proof",
    field: "event_id",
    title: "An event's proof",
    about: "Everything that proves one event of the log: hashes, checkpoint, inclusion and anchor",
  },
};

export const SCHEME = "tallystick:";
export const JSON_TYPE = "application/json";

export const uriOf = (kind: Kind, id: string): string => `${SCHEME}//${kind}/${encodeURIComponent(id)}`;

type Content = CallToolResult["content"][number];

/** Links from a result to the vintages, reports, receipts and proofs that can be read later. */
export function linksOf(
  { isVintage }: { isVintage: (digest: string) => boolean },
  { structuredContent, isError, _meta: resultMeta }: CallToolResult,
  _meta: CallToolRequestParams["_meta"],
): Content[] {
  if (isError) return [];
  const { data, meta } = (structuredContent ?? {}) as {
    data?: { report_id?: unknown };
    meta?: { vintage?: unknown };
  };
  const link = (kind: Kind, id: string): Content => {
    const { title, about } = kinds[kind];
    return {
      type: "resource_link",
      uri: uriOf(kind, id),
      name: id,
      title,
      description: about,
      mimeType: JSON_TYPE,
    };
  };
  const { event_id } = (resultMeta?.["tallystick/event"] ?? {}) as { event_id?: string };
  const isPaid = resultMeta?.["x402/payment-response"] !== undefined;
  const payment = isPaid ? paymentIn(_meta?.["x402/payment"]) : undefined;
  return [
    ...(typeof meta?.vintage === "string" && isVintage(meta.vintage) ? [link("vintages", meta.vintage)] : []),
    ...(typeof data?.report_id === "string" ? [link("reports", data.report_id)] : []),
    ...(payment ? [link("receipts", payment)] : []),
    ...(event_id ? [link("proofs", event_id)] : []),
  ];
}

/** The id of a payment by EIP-3009 in version 2. */
function paymentIn(payment: unknown): string | undefined {
  const { accepted, payload } = (payment ?? {}) as {
    accepted?: { network?: string; asset?: Hex };
    payload?: { authorization?: { from?: Hex; nonce?: Hex } };
  };
  const { from, nonce } = payload?.authorization ?? {};
  const { network, asset } = accepted ?? {};
  if (!from || !nonce || !network || !asset) return undefined;
  return idOf({ network, asset, payer: from, nonce }).toLowerCase();
}
