/** The views of MCP Apps. A view is one document that loads nothing and exchanges messages only with its host. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Printer } from "../../core/model/ports/printer.ts";
import { encodeAnswer } from "../declare/forms/encode.ts";
import { formsOf } from "../declare/forms/form.ts";
import type { SourcedAnswer } from "../declare/forms/table.ts";
import type { Operation } from "../declare/operation.ts";
import { compiled, FOLDER } from "./explorer.ts";

export const VIEW_TYPE = "text/html;profile=mcp-app";

const views = {
  series: {
    title: "A series",
    about: "A chart over time, with its figures and their source",
    of: [
      "trade_timeline",
      "trade_balance",
      "trade_price_per_tonne",
      "trade_seasonality",
      "trade_product_detail",
    ],
  },
  ranking: {
    title: "A ranking",
    about: "The largest entries as bars, with their figures and their source",
    of: ["trade_top_products", "trade_concentration", "trade_wood_products"],
  },
  map: {
    title: "A map",
    about: "A country's partners on a world map, with their figures and their source",
    of: ["trade_top_partners"],
  },
  report: { title: "A report", about: "A report with its findings, charts and facts", of: [] },
  proof: { title: "A proof", about: "The proof of an event, verified in the frame", of: ["log_proof"] },
} as const;

type Name = keyof typeof views;
const names = Object.keys(views) as Name[];

const uriOf = (name: Name) => `ui://tallystick/${name}.html`;

/** The view that shows an operation's answers. An answer that can be a page is shown as a report. */
function viewOf(operation: Operation): Name | undefined {
  if (formsOf(operation).includes("text/html")) return "report";
  return names.find((name) => (views[name].of as readonly string[]).includes(operation.name));
}

export function viewUri(operation: Operation): string | undefined {
  const name = viewOf(operation);
  return name && uriOf(name);
}

/** An empty list allows no origin, so the view can neither load nor call anything. */
const POLICY = { connectDomains: [], resourceDomains: [], frameDomains: [], baseUriDomains: [] };
const META = { ui: { csp: POLICY, prefersBorder: true } };

export const viewResources = names.map((name) => ({
  uri: uriOf(name),
  name: `${name}.html`,
  title: views[name].title,
  description: views[name].about,
  mimeType: VIEW_TYPE,
  _meta: META,
}));

const documents = new Map<Name, Promise<string>>();

/** A view by its address, as `resources/read` sends it. */
export async function viewAt(uri: string) {
  const name = names.find((one) => uriOf(one) === uri);
  if (!name) return undefined;
  const made = documents.get(name) ?? documentOf(name);
  documents.set(name, made);
  const text = await made.catch((error) => {
    documents.delete(name);
    throw error;
  });
  return { uri, mimeType: VIEW_TYPE, text, _meta: META };
}

async function documentOf(name: Name): Promise<string> {
  const read = (file: string) => readFile(join(FOLDER, file), "utf8");
  const [document, page, own, script] = await Promise.all([
    read("views/view.html"),
    read("page.css"),
    read("views/view.css"),
    compiled(`views/${name}.ts`, ["node:*"]),
  ]);
  // The replacements are functions, because the inserted texts may contain `$` patterns. A `</script` in the script
  // would end its element.
  return document
    .replace("A view", () => views[name].title)
    .replace("/* style */", () => themed(page) + own)
    .replace("/* script */", () => script.replaceAll("</script", "<\\/script"));
}

/** The pages' style. The host's light or dark theme, if it states one, replaces that of the system. */
function themed(css: string): string {
  const [light, dark] = [...css.matchAll(/:root \{([^}]*)\}/g)].map(([, variables]) => variables!);
  const scheme = (name: string, variables: string) =>
    `:root[data-theme="${name}"] {${variables}  color-scheme: ${name};\n}\n`;
  return `${css}${scheme("light", light!)}${scheme("dark", dark!)}`;
}

/** Widths in pixels of the two drawings: for a conversation on a desktop and on a phone. */
const [WIDE, NARROW] = [900, 340];

/** The drawing or page that a view shows together with the answer's JSON. */
export async function drawnFor(
  operation: Operation,
  answer: SourcedAnswer,
  printer: Printer,
): Promise<Record<string, string> | undefined> {
  const view = viewOf(operation);
  const { output } = operation;
  if (output.kind !== "json" || !view) return undefined;
  if (view === "report")
    return { html: (await encodeAnswer(output, "text/html", answer, printer)).toString() };
  if (!output.chart) return undefined;
  const svg = (width: number) => encodeAnswer(output, "image/svg+xml", answer, printer, width);
  const [wide, narrow] = await Promise.all([svg(WIDE), svg(NARROW)]);
  return { wide: wide.toString(), narrow: narrow.toString() };
}
