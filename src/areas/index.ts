/** All areas, in the order in which documents list them: a new area adds its line here, and nowhere else. */
import { access } from "./access.ts";
import { alerts } from "./alerts.ts";
import type { AnyEntity, Area } from "./area.ts";
import { charts } from "./charts.ts";
import { checks } from "./checks.ts";
import { commerce } from "./commerce.ts";
import { compliance } from "./compliance.ts";
import { compute } from "./compute.ts";
import { customs } from "./customs.ts";
import { discovery } from "./discovery.ts";
import { evolution } from "./evolution.ts";
import { fusion } from "./fusion.ts";
import { identity } from "./identity.ts";
import { ingest } from "./ingest.ts";
import { log } from "./log.ts";
import { lounge } from "./lounge.ts";
import { marketplace } from "./marketplace.ts";
import { mirror } from "./mirror.ts";
import { notices } from "./notices.ts";
import { operator } from "./operator.ts";
import { payments } from "./payments.ts";
import { reference } from "./reference.ts";
import { replay } from "./replay.ts";
import { reports } from "./reports.ts";
import { rng } from "./rng.ts";
import { salary } from "./salary.ts";
import { signals } from "./signals.ts";
import { skills } from "./skills.ts";
import { subjects } from "./subjects.ts";
import { trade } from "./trade.ts";
import { trust } from "./trust.ts";
import { wallet } from "./wallet.ts";

export const areas: readonly Area[] = [
  discovery,
  trade,
  salary,
  mirror,
  customs,
  fusion,
  reports,
  signals,
  ingest,
  evolution,
  skills,
  commerce,
  checks,
  rng,
  wallet,
  lounge,
  alerts,
  notices,
  replay,
  payments,
  log,
  identity,
  trust,
  charts,
  compute,
  marketplace,
  compliance,
  access,
  operator,
  subjects,
  reference,
];

/** The entities of areas. Throws where two share a stream category, which is the part before the first `-` of a stream's name. */
export function entitiesOf(areas: readonly Area[]): AnyEntity[] {
  const entities = areas.flatMap((area) => area.entities);
  const categories = new Set<string>();
  for (const { prefix } of entities) {
    const [category] = prefix.split("-") as [string];
    if (categories.has(category)) throw new Error(`two entities have streams of the category ${category}`);
    categories.add(category);
  }
  return entities;
}
