/** Draws charts: SVG by ECharts, PNG by resvg. */
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { crc32 } from "node:zlib";
import { Resvg } from "@resvg/resvg-js";
import type { Chart, Provenance } from "../../core/model/chart.ts";
import type { Print } from "../../core/model/ports/printer.ts";
import { html, written } from "../../web/html.ts";
import { drawableChart, glyphsOf } from "./glyphs.ts";
import { FONT, type Size, sizeOf, USUAL } from "./look.ts";
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
const fontFiles = [join(fonts, "DejaVuSans.ttf"), join(fonts, "DejaVuSans-Bold.ttf")];
const hasGlyph = glyphsOf(fontFiles);
const font = {
  fontFiles,
  loadSystemFonts: false,
  defaultFontFamily: FONT,
};

// All charts share one canvas: names in a drawing count up per canvas, and the same chart must give the same bytes.
const canvas = init(null, null, { renderer: "svg", ssr: true, width: USUAL.width, height: USUAL.height });
// Interaction is removed, because its names count up too.
const painter = canvas.getZr().painter as unknown as {
  renderToString(options: { cssEmphasis: boolean }): string;
};

/** The same chart gives the same bytes. */
export function draw({ chart, provenance, form, width }: Extract<Print, { chart: Chart }>): Uint8Array {
  const size = sizeOf(width);
  // The viewer of an SVG has further fonts.
  if (form === "image/svg+xml") {
    const svg = drawn(chart, size, provenance);
    return Buffer.from(titled(svg, readable(chart).title, figuresIn(readable(chart))));
  }
  const shown = drawableChart(chart, provenance, hasGlyph);
  const svg = drawn(shown.chart, size, shown.provenance);
  return withText(new Resvg(svg, { font }).render().asPng(), "figures", figuresIn(readable(chart)));
}

/** A PNG's last chunk, without content. */
const IEND_BYTES = 12;

/** The PNG with a text of UTF-8 under a keyword (iTXt, RFC 2083 and its extensions): readers skip what they do not know. */
function withText(png: Uint8Array, keyword: string, text: string): Uint8Array {
  if (text === "") return png;
  const content = Buffer.from(`iTXt${keyword}\0\0\0\0\0${text}`);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(content.length - 4);
  const checksum = Buffer.alloc(4);
  checksum.writeUInt32BE(crc32(content));
  const end = png.length - IEND_BYTES;
  return Buffer.concat([png.subarray(0, end), length, content, checksum, png.subarray(end)]);
}

/** A document's chart as SVG with outlined letters: it needs no font, and screen readers skip its scale. */
export const outlined = (chart: Chart): string =>
  new Resvg(drawn(drawableChart(chart, undefined, hasGlyph).chart, USUAL), { font }).toString();

/** Screen readers read the title instead of every label. */
const titled = (svg: string, title: string, figures: string): string =>
  svg.replace(
    /<svg ([^>]*)>/,
    (_, attributes: string) =>
      `<svg role="img" ${attributes}>\n${written(html`<title>${title}</title>${figures && html`<metadata>${figures}</metadata>`}`)}`,
  );

/** The figures and their places in the drawing as JSON, so that a page can show them on hover; empty where none has a place. */
function figuresIn({ kind, x, series, unit, unit_right }: Chart): string {
  if ((kind !== "line" && kind !== "bar") || x.length === 0 || x.length > MOST_HOVERED) return "";
  const at = x.map((_, index) => Math.round(Number(canvas.convertToPixel({ xAxisIndex: 0 }, index))));
  return JSON.stringify({
    width: canvas.getWidth(),
    x,
    at,
    series: series.map(({ name, values, on_right }) => ({
      name,
      unit: (on_right ? unit_right : unit) ?? unit,
      values: values.map((value) => (value === null ? null : Number(value.toPrecision(6)))),
    })),
  });
}

/** More places than pixels cannot be pointed at. */
const MOST_HOVERED = 1_000;

function drawn(chart: Chart, size: Size, provenance?: Provenance): string {
  canvas.clear();
  canvas.resize({ width: size.width, height: size.height });
  canvas.setOption(optionOf(chart, provenance, size));
  return painter.renderToString({ cssEmphasis: false });
}
