/** Synthetic events in the sandbox that methods should find, as its answers disclose. */
import { z } from "zod";
import { SANDBOX } from "../../../datasets/sandbox.ts";
import { type Lead, leads, type Shock, shocks } from "../../../datasets/sandbox-calibration.ts";
import type { capabilityNames } from "../../../domain/fusion/capabilities.ts";
import { isReporter, partnerName } from "../../../domain/trade/reporters.ts";
import { type Flow, monthText } from "../../../domain/trade/units.ts";

export const planted = z
  .array(z.string())
  .describe("Events that the sandbox's synthetic figures contain; empty for real data")
  .meta({ id: "Planted" });

/** The subject of figures; `flow` is the country's own, and both without one. */
type ShockSubject = { hs?: string | undefined; country?: string | undefined; flow?: Flow };

/** The events that affect a product, a country, or all of both, in words. */
export const plantedIn = ({ dataset }: { dataset: string }, touched: ShockSubject = {}): string[] =>
  dataset === SANDBOX
    ? [
        ...shocks.filter((shock) => affects(shock, [shock.hs2], touched)).map(spokenShock),
        ...leads.filter((lead) => affects(lead, [lead.first, lead.second], touched)).map(spokenLead),
      ]
    : [];

/** An event with one named side affects every partner on the other; the data have no trade without one of the 27. */
function affects(
  { seller, buyer }: Pick<Shock, "seller" | "buyer">,
  chapters: (string | undefined)[],
  { hs, country, flow }: ShockSubject,
): boolean {
  if (hs !== undefined && !chapters.some((hs2) => hs2 === undefined || hs.startsWith(hs2))) return false;
  if (country === undefined) return true;
  const isOn = (side: string | undefined, other: string | undefined) =>
    side === country ||
    (side === undefined && (isReporter(country) || other === undefined || isReporter(other)));
  return (flow !== "EXPORT" && isOn(buyer, seller)) || (flow !== "IMPORT" && isOn(seller, buyer));
}

/** The events that a method should find. */
export const plantedFor = (method: (typeof capabilityNames)[number]): string[] =>
  method === "lead_lag"
    ? leads.map(spokenLead)
    : shocks.filter(({ found_by }) => found_by.some((name) => name === method)).map(spokenShock);

function spokenShock({ seller, buyer, hs2, from, to, factor }: Shock): string {
  const what = hs2 === undefined ? "all goods" : `chapter ${hs2}`;
  const who = [seller && `from ${partnerName(seller)}`, buyer && `to ${partnerName(buyer)}`].filter(Boolean);
  const when = from === to ? `in ${monthText(from)}` : `from ${monthText(from)} to ${monthText(to)}`;
  return `${what} ${who.join(" ")} times ${factor} ${when}`;
}

const spokenLead = ({ buyer, first, second, months }: Lead): string =>
  `imports of chapter ${second} by ${partnerName(buyer)} follow its imports of chapter ${first} after ${months} months`;
