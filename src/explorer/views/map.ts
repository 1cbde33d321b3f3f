/** Partners on a map: the darker a country, the larger its value. Countries too small for the map are in the rows. */
import { el } from "../dom.ts";
import { openView, type ToolInput, type ToolResult } from "./host.ts";
import { figures, heading, source, warning } from "./parts.ts";
import { countries, HEIGHT, WIDTH } from "./world.ts";

type Row = { partner?: string; name?: string; value_eur?: number; share?: number | null };

const SVG = "http://www.w3.org/2000/svg";
const STEPS = 5;
const money = new Intl.NumberFormat("en", { notation: "compact", maximumSignificantDigits: 3 });
const percent = new Intl.NumberFormat("en", { style: "percent", maximumFractionDigits: 1 });

function shape(tag: string, attributes: Record<string, string>): SVGElement {
  const made = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  return made;
}

/** Steps of the root, so that one large partner does not hide the others. */
const stepOf = (value: number, most: number) => Math.max(1, Math.ceil(STEPS * Math.sqrt(value / most)));

function map(rows: readonly Row[], home: string | undefined): HTMLElement[] {
  const byCode = new Map(rows.map((row) => [row.partner, row]));
  const known = rows.filter(({ value_eur = 0 }) => value_eur > 0);
  const most = Math.max(1, ...known.map(({ value_eur = 0 }) => value_eur));
  const words = el("p", { class: "soft reading", role: "status" }, "Point at a country to read its value.");
  const drawing = shape("svg", {
    viewBox: `0 0 ${WIDTH} ${HEIGHT}`,
    role: "img",
    "aria-label": `A world map of ${known.length} partners; their values are in the table`,
  });
  for (const { code, name, path } of countries) {
    const row = byCode.get(code);
    const value = row?.value_eur ?? 0;
    const kind =
      code !== undefined && code === home ? "home" : value > 0 ? `step-${stepOf(value, most)}` : "none";
    const country = shape("path", { d: path, class: kind, "data-code": code ?? "" });
    const share = typeof row?.share === "number" ? `, ${percent.format(row.share)}` : "";
    const text =
      kind === "home"
        ? `${name}: the reporter`
        : row
          ? `${row.name ?? name}: ${money.format(value)} EUR${share}`
          : `${name}: not listed`;
    const read = () => {
      words.textContent = text;
    };
    country.addEventListener("pointerenter", read);
    country.addEventListener("pointerdown", read);
    drawing.append(country);
  }
  const steps = Array.from({ length: STEPS }, (_, at) => el("span", { class: `step-${at + 1}` }));
  const upTo = (step: number) => money.format(most * (step / STEPS) ** 2);
  const legend = el("p", { class: "legend soft" }, "0", ...steps, `${upTo(STEPS)} EUR`);
  return [el("figure", { class: "map" }, drawing as unknown as HTMLElement), words, legend];
}

const rowsOf = ({ structuredContent }: ToolResult): Row[] =>
  Array.isArray(structuredContent?.data) ? (structuredContent.data as Row[]) : [];

const homeOf = ({ reporter }: ToolInput): string | undefined =>
  typeof reporter === "string" ? reporter.toUpperCase().replace(/^EL$/, "GR") : undefined;

openView("map", (result, input) => [
  heading(result, "Partners"),
  ...warning(result),
  ...map(rowsOf(result), homeOf(input)),
  ...figures(result, true),
  ...source(result),
]);
