/** The markets that briefs are about, and whether the data cover them. */
import type { TradeData } from "../../trade/answers/question.ts";
import { checkMarket, type FieldNames } from "../covered.ts";

export const isCountry = (region: string) => region !== "EU" && region !== "GLOBAL";

/** The market of a product in a region, as an input of fusion_market_intel. */
export const subjectOf = (hs: string, region: string) =>
  ({ hs, ...(isCountry(region) && { reporter: region }), flow: "IMPORT" }) as const;

export const ofBrief: FieldNames = {
  reporter: "region",
  reporters: "region",
  country: "region",
  dataset: "region",
};
export const ofSectors: FieldNames = { ...ofBrief, hs: "sectors" };

type BriefSpan = { region: string; years?: string | undefined };

/** Refuses what no dataset covers, without reading any figure. */
export function checkBrief(trade: TradeData, { hs, region, years }: BriefSpan & { hs: string }): void {
  checkMarket(trade, { ...subjectOf(hs, region), years }, ofBrief);
}

/** As checkBrief, of each sector. */
export function checkSectors(
  trade: TradeData,
  { sectors, region, years }: BriefSpan & { sectors: readonly string[] },
): void {
  for (const hs of sectors) checkMarket(trade, { ...subjectOf(hs, region), years }, ofSectors);
}
