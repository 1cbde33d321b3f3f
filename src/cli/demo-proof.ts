/** Compares the buyer's signature and answers with an export of the payment's stream, and with the chain. */
import { createHash } from "node:crypto";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { exportFile } from "../../eventstore/files/export.ts";
import { MAIN_LOG } from "../../eventstore/types.ts";
import type { VerifyReport } from "../../eventstore/verify/report.ts";
import { openExport } from "../../eventstore/verify/verify-export.ts";
import { evidenceFor } from "../anchoring/gather-evidence.ts";
import { verifyPack } from "../audit/verify-pack.ts";
import type { App } from "../core/app.ts";
import * as payments from "../domain/payments/payment.ts";
import { BASE, settledBy, USDC } from "../domain/payments/usdc.ts";
import { get, type Purchase, type SignedPayment } from "./demo-buyer.ts";

export type Finding = { ok: boolean; says: string };
/** The service, and the folder for the proofs of its answers. */
export type ProofPlace = { url: string; folder: string };
/** `folder` has the export, the answer, the receipt and the service's keys, for a later check. */
export type Proof = { folder: string; report: VerifyReport; types: string[]; findings: Finding[] };

export const EXPORT = "stream.ndjson";
export const ANSWER = "answer";
export const RECEIPT = "receipt.jws";
export const KEYS = "jwks.json";

export const idOf = ({ transfer }: SignedPayment) =>
  payments.idOf({
    network: BASE.network,
    asset: USDC.address.toLowerCase() as `0x${string}`,
    payer: transfer.from,
    nonce: transfer.nonce,
  });

/** Exports the stream into a file of `folder`; all findings come from the file, except the last, from the chain. */
export async function prove(
  app: App,
  place: ProofPlace,
  payment: SignedPayment,
  bought: Purchase,
): Promise<Proof> {
  const { tenant, id } = payments.targetOf(idOf(payment));
  const folder = join(place.folder, payment.transfer.nonce.slice(2, 18));
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, ANSWER), bought.body);
  if (bought.receipt) await writeFile(join(folder, RECEIPT), bought.receipt.jws);
  const keys = await get(`${place.url}/.well-known/jwks.json`);
  await writeFile(join(folder, KEYS), await keys.text());
  const file = join(folder, EXPORT);
  const stream = { log_id: MAIN_LOG, tenant, stream_id: payments.streamOf(id) };
  await exportFile(app.pool, { ...stream, beside: evidenceFor(app) }, file);
  const report = await verifyPack(openExport(file), { recover: app.recover });
  const events = (await readFile(file, "utf8"))
    .trim()
    .split("\n")
    .slice(1, -1)
    .filter((line) => !line.startsWith('{"evidence"'))
    .map((line) => JSON.parse(line) as { type: string; payload: string });
  const findings = [
    ...recorded(events, payment, bought),
    {
      ok: await carried(app, payment, bought),
      says: "that transaction on chain moved exactly the signed amount",
    },
  ];
  return { folder, report, types: events.map(({ type }) => type), findings };
}

function recorded(
  events: { type: string; payload: string }[],
  { transfer, signature }: SignedPayment,
  { body, settlement }: Purchase,
): Finding[] {
  const payloadOf = (wanted: payments.PaymentEvent["type"]): Record<string, unknown> =>
    JSON.parse(events.findLast(({ type }) => type === wanted)?.payload ?? "{}");
  const claim = payloadOf("PaymentClaimed") as Partial<payments.Claim>;
  const settled = payloadOf("PaymentSettled") as Partial<payments.MinedTransaction> & {
    answer?: payments.PaidAnswer;
  };
  const digest = settled.answer?.sha256;
  return [
    {
      ok:
        claim.signature === signature &&
        claim.nonce === transfer.nonce &&
        claim.pay_to === transfer.to &&
        claim.amount_micro === Number(transfer.value),
      says: "PaymentClaimed has the authorization signed here, with the same amount and payee",
    },
    {
      ok: settled.transaction === settlement.transaction,
      says: "PaymentSettled names the transaction from the answer",
    },
    // A stream has no digest.
    ...(digest === null
      ? []
      : [
          {
            ok: digest === createHash("sha256").update(body).digest("hex"),
            says: "PaymentSettled has the SHA-256 of the answer as received",
          },
        ]),
  ];
}

async function carried(
  { chain }: App,
  { transfer }: SignedPayment,
  { settlement }: Purchase,
): Promise<boolean> {
  const receipt = await chain.receipt(settlement.transaction);
  return receipt !== undefined && settledBy(receipt, transfer);
}
