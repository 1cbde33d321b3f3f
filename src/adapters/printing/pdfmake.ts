/** The part of pdfmake in use. It has no types of its own, and third-party types bring a browser's globals. */
import { createRequire } from "node:module";

type Margin = [left: number, top: number, right: number, bottom: number];

type TextStyle = {
  font?: string;
  fontSize?: number;
  bold?: true;
  color?: string;
  fillColor?: string;
  lineHeight?: number;
  alignment?: "left" | "right";
  margin?: Margin;
};

/** Options of any part: page breaks, links and headings. */
type NodeOptions = TextStyle & {
  id?: string;
  headlineLevel?: number;
  outline?: true;
  pageBreak?: "before";
  unbreakable?: true;
};

export type Cell = NodeOptions & { text: string | Content[] };

export type TableLayout = Partial<
  Record<"hLineWidth" | "vLineWidth", (line: number, node: TableNode) => number> &
    Record<"hLineColor", (line: number) => string> &
    Record<
      "paddingLeft" | "paddingRight" | "paddingTop" | "paddingBottom",
      (at: number, node: TableNode) => number
    >
>;
type TableNode = { table: { body: Cell[][]; widths: unknown[] } };

export type Content =
  | string
  | (NodeOptions &
      (
        | { text: string | Content[]; linkToDestination?: string }
        | { stack: Content[] }
        | { columns: Content[] }
        | { svg: string; width: number; height: number }
        | { canvas: { type: "rect"; x: number; y: number; w: number; h: number; color: string }[] }
        | {
            table: {
              widths: (number | "*" | "auto")[];
              body: Cell[][];
              headerRows?: number;
              keepWithHeaderRows?: number;
              dontBreakRows?: boolean;
            };
            layout: TableLayout | "noBorders";
          }
      ));

export type Definition = {
  version: "1.7";
  subset: "PDF/A-3a";
  tagged: boolean;
  displayTitle: boolean;
  language: string;
  pageSize: "A4";
  pageMargins: Margin;
  info: { title: string; subject: string; creationDate: Date; modDate: Date };
  defaultStyle: TextStyle;
  header: (page: number) => Content;
  footer: (page: number, pages: number) => Content;
  pageBreakBefore: (
    node: { headlineLevel?: number },
    more: { getFollowingNodesOnPage: () => unknown[] },
  ) => boolean;
  files: Record<
    string,
    { src: string; name: string; type: string; description: string; creationDate: Date; modifiedDate: Date }
  >;
  content: Content[];
};

type Face = { normal: string; bold: string; italics: string; bolditalics: string };

const require = createRequire(import.meta.url);

export const pdfmake = require("pdfmake") as {
  setFonts(fonts: Record<string, Face>): void;
  setUrlAccessPolicy(allows: (url: string) => boolean): void;
  setLocalAccessPolicy(allows: (path: string) => boolean): void;
  createPdf(definition: Definition): { getBuffer(): Promise<Buffer> };
};
