/** What was invented into the sandbox so that methods find something, as answers over it say. */
import { z } from "zod";
import { SANDBOX } from "../../../datasets/sandbox.ts";
import { type Shock, shocks } from "../../../datasets/sandbox-calibration.ts";
import { partnerName } from "../../../domain/trade/reporters.ts";
import { monthText } from "../../../domain/trade/units.ts";

export const planted = z
  .array(z.string())
  .describe("Events that were invented into the sandbox and that the figures are part of; empty of real data")
  .meta({ id: "Planted" });

/** The events that touch a product, a country, or all of both, in words. */
export const plantedIn = (
  { dataset }: { dataset: string },
  { hs, country }: { hs?: string | undefined; country?: string | undefined } = {},
): string[] =>
  dataset === SANDBOX
    ? shocks
        .filter(({ hs2, seller, buyer }) => {
          const ofProduct = hs === undefined || hs2 === undefined || hs.startsWith(hs2);
          return ofProduct && (country === undefined || seller === country || buyer === country);
        })
        .map(spoken)
    : [];

function spoken({ seller, buyer, hs2, from, to, factor }: Shock): string {
  const what = hs2 === undefined ? "all goods" : `chapter ${hs2}`;
  const who = [seller && `from ${partnerName(seller)}`, buyer && `to ${partnerName(buyer)}`].filter(Boolean);
  const when = from === to ? `in ${monthText(from)}` : `from ${monthText(from)} to ${monthText(to)}`;
  return `${what} ${who.join(" ")} times ${factor} ${when}`;
}
