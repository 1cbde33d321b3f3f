/** The head of a picture: its title, a warning, source and vintage. */
import type { EChartsOption } from "echarts";
import type { Provenance } from "../../core/model/chart.ts";
import { INK, MARGIN, MUTED, type Size, WARNING } from "./look.ts";
import { clipped, textWidth, wrapped } from "./text.ts";

type Titles = Extract<NonNullable<EChartsOption["title"]>, readonly unknown[]>;

/** `bottom`: where the rest of the picture begins. */
export type Head = { titles: Titles; bottom: number };

const SUBTITLE_TOP = 44;
const WIDE_BOTTOM = 64;

/** With more tables than this, the vintages are written below the figures. */
export const MOST_VINTAGES = 2;

export const vintagesOf = (vintage: string) => vintage.split("+").map((one) => one.slice(0, 12));

/** Synthetic figures and partial sums are labelled prominently. */
const warningOf = ({ synthetic, coverage }: Provenance): string =>
  [
    synthetic && "SYNTHETIC sandbox figures",
    coverage?.products.complete === false && `PART of the products: ${coverage.products.count} codes`,
  ]
    .filter((text) => text !== false)
    .join(" · ");

const SOURCE = { fontSize: 12, fontWeight: "normal" as const, color: MUTED };

const warned = (text: string, top: number) => ({
  text,
  left: MARGIN,
  top,
  padding: [3, 6],
  backgroundColor: WARNING,
  textStyle: { fontSize: 12, fontWeight: "bold" as const, color: "#ffffff" },
});

const titled = (text: string, top: number, fontSize: number) => ({
  text,
  left: MARGIN - 5,
  top,
  textStyle: { fontSize, color: INK },
});

const stateText = ({ vintage, log_state }: Provenance): string => {
  if (log_state !== undefined) return `as of ${log_state}`;
  const vintages = vintagesOf(vintage);
  return vintages.length > MOST_VINTAGES ? `${vintages.length} tables` : `vintage ${vintages.join(", ")}`;
};

export function headOf(title: string, provenance: Provenance | undefined, size: Size): Head {
  if (size.is_narrow) return narrowHead(title, provenance, size);
  const titles: Titles = [titled(clipped(title, Math.floor(size.width / 12.1)), 12, 18)];
  if (!provenance) return { titles, bottom: WIDE_BOTTOM };
  const warning = warningOf(provenance);
  const left = MARGIN + (warning ? textWidth(warning, 12, true) + 22 : 0) - 5;
  const state = stateText(provenance);
  const most = Math.floor(size.width / 7.25) - (warning ? warning.length + 9 : 0) - state.length;
  const text = `${clipped(provenance.source, Math.max(most, 20))} · ${state}`;
  return {
    titles: [
      ...titles,
      ...(warning ? [warned(warning, SUBTITLE_TOP - 2)] : []),
      { text, left, top: SUBTITLE_TOP - 4, textStyle: SOURCE },
    ],
    bottom: WIDE_BOTTOM,
  };
}

/** One below the other: title, warning, source. */
function narrowHead(title: string, provenance: Provenance | undefined, { width }: Size): Head {
  const most = width - 2 * MARGIN;
  const lines = wrapped(title, { most, size: 15, lines: 3, isBold: true });
  let top = 10;
  const titles: Titles = lines.map((text) => {
    top += 20;
    return titled(text, top - 20, 15);
  });
  if (!provenance) return { titles, bottom: top + 12 };
  const warning = warningOf(provenance);
  if (warning) {
    titles.push(warned(clipped(warning, Math.floor(most / 8)), top + 8));
    top += 28;
  }
  for (const text of wrapped(`${provenance.source} · ${stateText(provenance)}`, {
    most,
    size: 11,
    lines: 2,
  })) {
    titles.push({ text, left: MARGIN - 5, top, textStyle: { ...SOURCE, fontSize: 11 } });
    top += 16;
  }
  return { titles, bottom: top + 12 };
}
