/** Draws charts: SVG by ECharts, PNG by resvg. */
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { Resvg } from "@resvg/resvg-js";
import type { Chart, Provenance } from "../../core/model/chart.ts";
import { html, written } from "../../core/model/html.ts";
import { FONT, HEIGHT, WIDTH } from "./look.ts";
import { optionOf } from "./option.ts";
import { readable, textWidth } from "./text.ts";

const require = createRequire(import.meta.url);
/** The single bundled file loads ten times faster than its thousand modules. */
const { init, setPlatformAPI }: typeof import("echarts") = require("echarts/dist/echarts.min.js");

setPlatformAPI({
  measureText: (text, font = "") => {
    const size = Number(/([\d.]+)px/.exec(font)?.[1] ?? 12);
    return { width: textWidth(text, size, font.includes("bold")) };
  },
});

/** Fonts shipped with the service, for machines without any. */
const fonts = join(dirname(require.resolve("dejavu-fonts-ttf/package.json")), "ttf");
const font = {
  fontFiles: [join(fonts, "DejaVuSans.ttf"), join(fonts, "DejaVuSans-Bold.ttf")],
  loadSystemFonts: false,
  defaultFontFamily: FONT,
};

// All charts share one canvas: names in a drawing count up per canvas, and the same chart must give the same bytes.
const canvas = init(null, null, { renderer: "svg", ssr: true, width: WIDTH, height: HEIGHT });
// Interaction is removed, because its names count up too.
const painter = canvas.getZr().painter as unknown as {
  renderToString(options: { cssEmphasis: boolean }): string;
};

/** The same chart gives the same bytes. */
export function draw(chart: Chart, provenance: Provenance, form: "image/svg+xml" | "image/png"): Uint8Array {
  const svg = drawn(chart, provenance);
  return form === "image/svg+xml"
    ? Buffer.from(titled(svg, readable(chart).title))
    : new Resvg(svg, { font }).render().asPng();
}

/** A document's chart as SVG with outlined letters: it needs no font, and screen readers skip its scale. */
export const outlined = (chart: Chart): string => new Resvg(drawn(chart), { font }).toString();

/** Screen readers read the title instead of every label. */
const titled = (svg: string, title: string): string =>
  svg.replace(/<svg ([^>]*)>/, `<svg role="img" $1>\n${written(html`<title>${title}</title>`)}`);

function drawn(chart: Chart, provenance?: Provenance): string {
  canvas.clear();
  canvas.setOption(optionOf(chart, provenance));
  return painter.renderToString({ cssEmphasis: false });
}
