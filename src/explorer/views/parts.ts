/** Parts of several views: a heading, a picture that the service drew, figures and their source. */
import { rowsIn, table } from "../answer.ts";
import { el } from "../dom.ts";
import { figuresInSvg } from "../figures.ts";
import { shorten } from "../format.ts";
import { showFiguresOn } from "../hover.ts";
import type { ToolResult } from "./host.ts";

type Meta = { source?: string; dataset?: string; vintage?: string; synthetic?: boolean };

/** Drawings that come with a result for hosts with views. */
type Drawn = { wide?: string; narrow?: string; html?: string };

export const drawnIn = ({ _meta }: ToolResult): Drawn => (_meta?.["tallystick/view"] ?? {}) as Drawn;

const titleIn = (svg: string): string | undefined => {
  const [, text] = /<title>([^<]*)<\/title>/.exec(svg) ?? [];
  return text?.replaceAll(/&#(\d+);/g, (_, code: string) => String.fromCharCode(Number(code)));
};

export function heading(result: ToolResult, otherwise: string): HTMLElement {
  const { wide } = drawnIn(result);
  return el("h1", { class: "claim" }, (wide && titleIn(wide)) || otherwise);
}

export function warning({ structuredContent }: ToolResult): HTMLElement[] {
  const { synthetic } = (structuredContent?.meta ?? {}) as Meta;
  return synthetic ? [el("p", { class: "synthetic" }, "Synthetic figures of the sandbox")] : [];
}

const NARROW = "(max-width: 37rem)";

/** Removes all that runs, loads, or would reach beyond its own drawing. */
export function removeActive(root: ParentNode): void {
  for (const one of root.querySelectorAll("script, iframe, object, embed, link, style:not(svg style)"))
    one.remove();
  for (const one of root.querySelectorAll("*"))
    for (const { name } of [...one.attributes]) if (name.startsWith("on")) one.removeAttribute(name);
}

/** The chart as a part of the document: a host's policy may forbid images, also those of the document itself. */
function drawingOf(svg: string): HTMLElement {
  const { documentElement: drawing } = new DOMParser().parseFromString(svg, "image/svg+xml");
  removeActive(drawing);
  // A title would appear under the pointer, where the figures are.
  for (const one of drawing.querySelectorAll(":scope > title, :scope > metadata")) one.remove();
  drawing.setAttribute("role", "img");
  drawing.setAttribute("aria-label", `${titleIn(svg) ?? "A chart"}; its figures are in the table`);
  return el("div", { class: "drawing" }, drawing);
}

/** The chart that fits the frame; on a phone its parts stand one below the other. */
export function picture(result: ToolResult): HTMLElement[] {
  const { wide, narrow } = drawnIn(result);
  if (!wide || !narrow) return [];
  const figure = el("figure", { class: "picture" });
  const fits = matchMedia(NARROW);
  const draw = () => {
    const svg = fits.matches ? narrow : wide;
    const drawing = drawingOf(svg);
    figure.replaceChildren(drawing);
    showFiguresOn(drawing, figuresInSvg(svg));
  };
  draw();
  fits.addEventListener("change", draw);
  return [figure];
}

/** The answer's rows, behind a line that opens them. */
export function figures({ structuredContent }: ToolResult, isOpen: boolean): HTMLElement[] {
  const rows = rowsIn(structuredContent?.data);
  if (!rows) return [];
  return [el("details", { open: isOpen }, el("summary", {}, `${rows.length} rows`), table(rows))];
}

export function source({ structuredContent }: ToolResult): HTMLElement[] {
  const { source, dataset, vintage } = (structuredContent?.meta ?? {}) as Meta;
  if (!source && !dataset) return [];
  return [
    el(
      "p",
      { class: "soft" },
      `Source: ${source ?? dataset}. `,
      ...(vintage ? ["Vintage ", el("code", { title: vintage }, shorten(vintage)), "."] : []),
    ),
  ];
}
