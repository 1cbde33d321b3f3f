/** Whether a dataset of some products knows a country at all: what no file was asked for is no proof of no trade. */

import { refuse } from "../../../core/model/refusal.ts";
import { literal } from "../../../datasets/duckdb.ts";
import type { Lease } from "../../../datasets/vintage-store.ts";
import { knownPartners } from "../../../domain/trade/coverage.ts";
import { tradeProblems } from "../../../domain/trade/problems.ts";
import { yearsOrAll } from "./question.ts";
import { finestIn } from "./tables.ts";

type Asked = { hs: string | undefined; partner: string };

/** Whether any row under `hs` names the partner. Of a dataset of all products, and of one that names its partners, no row is an answer. */
export async function holdsPartner(
  lease: Lease,
  { hs, partner }: Asked,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  const { coverage } = lease.manifest;
  if (coverage.products.national || knownPartners(coverage)) return true;
  const all = finestIn(lease, { hs, years: yearsOrAll(lease, undefined) }, `partner = ${literal(partner)}`);
  const [found] = await lease.query(`select 1 as found from ${all} limit 1`, undefined, signal);
  return found !== undefined;
}

/** Refuses as outside the coverage; `path` is the input field that names the partner. */
export function refuseUnheld({ manifest }: Lease, { hs, partner }: Asked, path: string): never {
  const of = hs === undefined ? partner : `${partner} for ${hs}`;
  const message = `${manifest.dataset} has no row of ${of}; name another dataset with dataset`;
  return refuse(tradeProblems["outside-coverage"], message, { errors: [{ path, message }] });
}
