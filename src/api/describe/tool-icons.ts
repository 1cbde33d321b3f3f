/** Icons for tools, one for each subject area, drawn as strokes in the pages' colours. */
import type { Document } from "./document.ts";

const strokes = {
  figures: "M6 25h20M10 25v-7M16 25V8M22 25V13",
  document: "M9 5h10l5 5v17H9zM19 5v5h5M13 16h7M13 21h7",
  money: "M16 5a11 11 0 1 0 0 22 11 11 0 0 0 0-22M19 12c-1-2-6-2-6 1s6 2 6 5-5 3-6 1M16 9v2M16 21v2",
  proof: "M16 5l9 3v8c0 6-4 9-9 11-5-2-9-5-9-11V8zM12 16l3 3 5-6",
  agent: "M16 6a5 5 0 1 0 0 10 5 5 0 0 0 0-10M7 27c0-6 4-8 9-8s9 2 9 8",
  market: "M6 12l2-6h16l2 6M6 12h20M8 12v14h16V12M13 26v-7h6v7",
  chance: "M7 7h18v18H7zM12 12h.1M20 12h.1M16 16h.1M12 20h.1M20 20h.1",
  service: "M8 23h16M10 23v-9a6 6 0 0 1 12 0v9M14 26h4M16 5v3",
} as const;

type Glyph = keyof typeof strokes;

const areas: Record<string, Glyph> = {
  ...{ trade: "figures", customs: "figures", salary: "figures", mirror: "figures", fusion: "figures" },
  ...{
    charts: "figures",
    signals: "figures",
    reports: "document",
    compliance: "document",
    skills: "document",
  },
  ...{ payments: "money", checks: "money", wallet: "money", commerce: "market", marketplace: "market" },
  ...{ log: "proof", rng: "proof", replay: "proof", trust: "proof", identity: "agent", compute: "agent" },
  ...{ subjects: "agent", evolution: "agent", lounge: "chance" },
};

const pathOf = (glyph: Glyph) => `/icons/${glyph}.svg` as const;

const svgOf = (glyph: Glyph) =>
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="7" fill="#14624a"/>` +
  `<path d="${strokes[glyph]}" fill="none" stroke="#faf9f5" stroke-width="2" stroke-linecap="round" stroke-linejoin="round"/></svg>\n`;

/** The icons of an area's tools. */
export const iconsOf = (area: string, public_url: string) => [
  { src: public_url + pathOf(areas[area] ?? "service"), mimeType: "image/svg+xml", sizes: ["any"] },
];

export const iconDocuments = (): Document[] =>
  (Object.keys(strokes) as Glyph[]).map((glyph) => ({
    path: pathOf(glyph),
    type: "image/svg+xml",
    summary: `The icon of tools about ${glyph}`,
    render: () => ({ body: svgOf(glyph), headers: { "Cache-Control": "public, max-age=86400" } }),
  }));
