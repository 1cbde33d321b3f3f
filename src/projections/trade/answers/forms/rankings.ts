import type { z } from "zod";
import type { Chart, Series } from "../../../../core/model/chart.ts";
import { partnerName } from "../../../../domain/trade/reporters.ts";
import type { concentrationOutput } from "../concentration.ts";
import type { heatmapOutput } from "../heatmap.ts";
import type { topPartnersOutput, topProductsOutput } from "../rankings.ts";
import type { woodOutput } from "../wood.ts";
import { flowWord, productTitle } from "./names.ts";

type Line = {
  rank: number | null;
  name: string | null;
  value_eur: number | null;
  imports_eur?: number | null | undefined;
  exports_eur?: number | null | undefined;
};

/** A bar for each line; imports and exports end to end if both were requested. */
function bars(lines: Line[]): Series[] {
  const both = lines.some(({ imports_eur }) => imports_eur !== undefined);
  if (!both) return [{ name: "value", values: lines.map(({ value_eur }) => value_eur) }];
  return [
    { name: "imports", values: lines.map(({ imports_eur }) => imports_eur ?? null) },
    { name: "exports", values: lines.map(({ exports_eur }) => exports_eur ?? null) },
  ];
}

/** A bar for the rest would dwarf the others, so a sentence gives its share. */
export function ranking(title: string, lines: (Line & { share: number | null })[]): Chart {
  const ranked = lines.filter(({ rank }) => rank !== null);
  const rest = lines.find(({ rank, share }) => rank === null && share !== null);
  return {
    kind: "ranking",
    title,
    x: ranked.map(({ name }) => name ?? ""),
    series: bars(ranked),
    unit: "EUR",
    notes: rest ? [`Not drawn: the rest, ${(rest.share! * 100).toFixed(1)} % of the total.`] : [],
  };
}

export const partnersChart = ({ data, meta }: z.infer<typeof topPartnersOutput>): Chart =>
  ranking(`${partnerName(meta.reporter)}: largest partners, ${flowWord(meta.flow)} ${meta.year}`, data);

export const productsChart = ({ data, meta }: z.infer<typeof topProductsOutput>): Chart =>
  ranking(
    `${partnerName(meta.reporter)}: largest products, ${flowWord(meta.flow)} ${meta.year}`,
    data.map((row) => ({ ...row, name: productTitle(row.product, row.name) })),
  );

export const woodChart = ({ data, meta }: z.infer<typeof woodOutput>): Chart =>
  ranking(
    `${partnerName(meta.reporter)}: wood products, ${flowWord(meta.flow)} ${meta.year}`,
    data.map((row) => ({ ...row, name: productTitle(row.product, row.name) })),
  );

/** All 27; countries without a delivery come last and have no bar. */
export const heatmapChart = ({ data, meta }: z.infer<typeof heatmapOutput>): Chart => ({
  kind: "ranking",
  title: `The 27 by ${flowWord(meta.flow)} of ${productTitle(meta.product)}, ${meta.year}`,
  x: data.map(({ name }) => name),
  series: bars(data),
  unit: "EUR",
  notes: data.some(({ complete }) => !complete)
    ? [
        `Fewer than twelve complete months: ${data.flatMap(({ complete, reporter }) => (complete ? [] : reporter)).join(", ")}`,
      ]
    : [],
});

/**
 * Shares of the largest partners: of all trade, and in a lighter tone of the listed trade. Two flows come one below the
 * other, each in its own colour.
 */
export function concentrationChart({ data, meta }: z.infer<typeof concentrationOutput>): Chart {
  const lines = data.flatMap(({ flow, top_partners }) =>
    top_partners.map((partner) => ({ flow, ...partner })),
  );
  return {
    kind: "ranking",
    title: `${partnerName(meta.reporter)}: partners' shares in ${productTitle(meta.product)}, ${meta.year}`,
    x: lines.map(({ flow, name }) => (data.length > 1 ? `${flowWord(flow)}: ${name}` : name)),
    series: data
      .filter(({ top_partners }) => top_partners.length > 0)
      .flatMap(({ flow, listed_share }) => {
        const of = (share: (line: (typeof lines)[number]) => number) =>
          lines.map((line) => (line.flow === flow ? share(line) * 100 : null));
        const total = `${flowWord(flow)}, of all`;
        const beyond = of(({ share, share_of_total }) => share - (share_of_total ?? 0));
        return [
          { name: total, values: of(({ share_of_total }) => share_of_total ?? 0) },
          ...(listed_share === 1
            ? []
            : [{ name: `${flowWord(flow)}, of listed`, beyond: total, values: beyond }]),
        ];
      }),
    unit: "%",
    notes: data.map(({ flow, hhi, classification, listed_share, note }) =>
      hhi === null
        ? `${flowWord(flow)}: ${note}`
        : `HHI of ${flowWord(flow)}: ${Math.round(hhi)}, ${classification?.replaceAll("_", " ")}, over the ${percent(listed_share)} listed by partner`,
    ),
  };
}

const percent = (share: number | null) => (share === null ? "part" : `${(share * 100).toFixed(1)} %`);
