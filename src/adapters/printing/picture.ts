/** Charts drawn by ECharts as SVG, and by resvg as PNG. */
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { Resvg } from "@resvg/resvg-js";
import type { Chart, Provenance } from "../../core/model/chart.ts";
import { FONT, HEIGHT, WIDTH } from "./look.ts";
import { optionOf } from "./option.ts";
import { textWidth } from "./text.ts";

const require = createRequire(import.meta.url);
/** As one small file: its thousand modules take ten times as long to load. */
const { init, setPlatformAPI }: typeof import("echarts") = require("echarts/dist/echarts.min.js");

setPlatformAPI({
  measureText: (text, font = "") => {
    const size = Number(/([\d.]+)px/.exec(font)?.[1] ?? 12);
    return { width: textWidth(text, size, font.includes("bold")) };
  },
});

/** Fonts of our own, so that a picture has its text on a machine without any. */
const fonts = join(dirname(require.resolve("dejavu-fonts-ttf/package.json")), "ttf");
const font = {
  fontFiles: [join(fonts, "DejaVuSans.ttf"), join(fonts, "DejaVuSans-Bold.ttf")],
  loadSystemFonts: false,
  defaultFontFamily: FONT,
};

// One canvas for all: the names within a drawing count up with each new one, and the same chart must give the same bytes.
const canvas = init(null, null, { renderer: "svg", ssr: true, width: WIDTH, height: HEIGHT });
// Without what a pointer would do to it: its names, too, count up.
const painter = canvas.getZr().painter as unknown as {
  renderToString(options: { cssEmphasis: boolean }): string;
};

/** The picture of a chart; the same chart gives the same bytes. */
export function draw(chart: Chart, provenance: Provenance, form: "image/svg+xml" | "image/png"): Uint8Array {
  const svg = drawn(chart, provenance);
  return form === "image/svg+xml" ? Buffer.from(svg) : new Resvg(svg, { font }).render().asPng();
}

/** The picture of a document's chart as SVG whose letters are outlines: it needs no font, and its scale is seen and not read. */
export const outlined = (chart: Chart): string => new Resvg(drawn(chart), { font }).toString();

function drawn(chart: Chart, provenance?: Provenance): string {
  canvas.clear();
  canvas.setOption(optionOf(chart, provenance));
  return painter.renderToString({ cssEmphasis: false });
}
