/** A dataset of some products proves no absence of trade with a country that its files never requested. */

import { refuse } from "../../../core/model/refusal.ts";
import { literal } from "../../../datasets/duckdb.ts";
import type { Lease } from "../../../datasets/vintage-store.ts";
import { namedPartners } from "../../../domain/trade/coverage.ts";
import { tradeProblems } from "../../../domain/trade/problems.ts";
import { yearsOrAll } from "./question.ts";
import { finestIn } from "./tables.ts";

type PartnerQuery = { hs: string | undefined; partner: string };

/**
 * True if any row under `hs` names the partner. A dataset of all products, or with named partners, answers without a
 * row.
 */
export async function hasPartner(
  lease: Lease,
  { hs, partner }: PartnerQuery,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  const { coverage } = lease.manifest;
  if (coverage.products.national || namedPartners(coverage)) return true;
  const all = finestIn(lease, { hs, years: yearsOrAll(lease, undefined) }, `partner = ${literal(partner)}`);
  const [anyRow] = await lease.query(`select 1 as found from ${all} limit 1`, undefined, signal);
  return anyRow !== undefined;
}

/** `path` is the input field of the partner. */
export function refuseWithoutPartner(
  { manifest }: Lease,
  { hs, partner }: PartnerQuery,
  path: string,
): never {
  const of = hs === undefined ? partner : `${partner} for ${hs}`;
  const message = `${manifest.dataset} has no row of ${of}; name another dataset with dataset`;
  return refuse(tradeProblems["outside-coverage"], message, { errors: [{ path, message }] });
}
