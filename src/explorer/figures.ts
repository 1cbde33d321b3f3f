/** The figures that a picture carries as data, with their places in it. */
export type Figures = {
  width: number;
  x: string[];
  at: number[];
  series: { name: string; unit: string; values: (number | null)[] }[];
};

/** The data in an SVG's text; it is never parsed as markup. */
export function figuresInSvg(svg: string): Figures | undefined {
  const [, text] = /<metadata>([^<]*)<\/metadata>/.exec(svg) ?? [];
  if (text === undefined) return undefined;
  const plain = text.replaceAll(/&#(\d+);/g, (_, code: string) => String.fromCharCode(Number(code)));
  return JSON.parse(plain) as Figures;
}

/** The signature of a PNG; its chunks follow. */
const SIGNATURE_BYTES = 8;
/** Length, type and checksum of a chunk. */
const CHUNK_BYTES = 12;
const FIGURES = "iTXtfigures\0\0\0\0\0";

/** The same data in a PNG's chunk of text. */
export function figuresInPng(png: ArrayBuffer): Figures | undefined {
  const view = new DataView(png);
  const textAt = (from: number, length: number) =>
    new TextDecoder().decode(new Uint8Array(png, from, length));
  for (let at = SIGNATURE_BYTES; at + CHUNK_BYTES <= png.byteLength; ) {
    const length = view.getUint32(at);
    const text = textAt(at + 4, length + 4);
    if (text.startsWith(FIGURES)) return JSON.parse(text.slice(FIGURES.length)) as Figures;
    at += length + CHUNK_BYTES;
  }
  return undefined;
}
