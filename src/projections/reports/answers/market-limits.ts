/** The limits of a report that the missing parts of a market set. */

import { citing } from "../../../domain/reports/cited-text.ts";
import type { Market, ReportDraft } from "../writing.ts";

/** Missing parts of a market, where the name of its field says too little. */
const absentNames: Readonly<Record<string, string>> = {
  price_and_quantity: "split of the change by prices and quantities",
  real: "growth at constant prices",
  advantage: "comparative advantage",
  dependency: "verdict on dependency",
  substitution: "substitutes",
  gravity: "expected trade",
  leads: "leads and lags",
  policies: "announced policies",
};

/** Parts that exports cannot have, so that nothing is missing without them. */
const ofImports: ReadonlySet<string> = new Set(["dependency", "substitution"]);

/** The limits of a market in the words of the answer; with several products, each limit names its product. */
export function limitsOf(
  { at, limit }: ReportDraft,
  market: Market,
  { named = false, quotes = false }: { named?: boolean; quotes?: boolean } = {},
): void {
  const { years } = market.answer.meta;
  const first = market.answer.data.size[0]?.year;
  if (first !== undefined && first > years.from)
    limit(
      citing`Years from ${at(market, "/meta/years/from", "first year of the request", "year")} were requested; the figures begin in ${at(market, "/data/size/0/year", "first year with figures", "year")}.`,
    );
  for (const [n, { of }] of market.answer.data.absent.entries()) {
    // The market quotes no news; the report names its quotations itself.
    if (quotes && of === "news") continue;
    if (market.answer.meta.flow === "EXPORT" && ofImports.has(of)) continue;
    const figure = absentNames[of] ?? of.replaceAll("_", " ");
    const why = at(market, `/data/absent/${n}/why`, "why a figure is absent", "text");
    const product = named ? at(market, "/meta/product", "code of the chapter", "code") : undefined;
    limit(product ? citing`HS ${product} has no ${figure}: ${why}.` : citing`No ${figure}: ${why}.`);
  }
}
