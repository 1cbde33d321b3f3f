/**
 * Serves src/explorer. When the service runs from its sources, the explorer's TypeScript is compiled at the first
 * request.
 */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { html, written } from "../../web/html.ts";
import type { Path } from "../declare/operation.ts";
import type { Document } from "./document.ts";
import { type MenuEntry, placesFor } from "./pages/places.ts";

export const FOLDER = join(import.meta.dirname, "../../explorer");

const IS_COMPILED = import.meta.filename.endsWith(".js");

export const PACKAGE = join(import.meta.dirname, IS_COMPILED ? "../../../.." : "../../..");

/** The page may load only from this service, whatever texts the log contains. */
export const PAGE_POLICY = [
  "default-src 'none'",
  ...["script-src", "style-src", "img-src", "connect-src", "worker-src"].map((kind) => `${kind} 'self'`),
  ...["base-uri", "form-action", "frame-ancestors"].map((kind) => `${kind} 'none'`),
].join("; ");

/** The worker reads a visitor's files, so it may send nothing anywhere. */
const WORKER_POLICY = "default-src 'none'; script-src 'self'";

/** The names of facts about the log, shown with placeholders until the page's script has the values. */
const FACTS = ["Origin", "Head", "Log key", "Signed", "Anchored", "Contract", "Signer", "Personal data"];

export const explorerDocuments = (): Document[] => [
  document("/log", "text/html", "The log for people: its contents, how far it is proven, and a verifier", {
    policy: PAGE_POLICY,
    text: async (development) =>
      (await page("page.html", "/log"))
        .replace("{{chain}}", development ? "development" : "public")
        .replace("{{facts}}", written(FACTS.map((name) => html`<div><dt>${name}</dt><dd>…</dd></div>`))),
  }),
  {
    path: "/log/meanings.json",
    type: "application/json",
    summary: "Each event type's meaning, in a sentence",
    render: ({ unit }) => ({ body: JSON.stringify(unit.schemas.meanings()) }),
  },
  document("/log/page.css", "text/css", "The style of the pages at /log and /soul", {
    text: () => read("page.css"),
  }),
  document("/log/page.js", "text/javascript", "The script of the page at /log", {
    text: () => compiled("page.ts"),
  }),
  document("/log/worker.js", "text/javascript", "The worker that verifies for the page at /log", {
    policy: WORKER_POLICY,
    text: () => compiled("worker.ts"),
  }),
  document("/log/verifier.js", "text/javascript", "The verifier in one file, to be read and run with Node", {
    text: () => read("verifier.js"),
  }),
  document("/rng/example.json", "application/json", "The proof of a roll, for the page to verify", {
    text: exampleRoll,
  }),
  document("/rng/page.js", "text/javascript", "The script of the page at /rng", {
    text: () => compiled("rng.ts"),
  }),
  document(
    "/rng/roll-verifier.js",
    "text/javascript",
    "The verifier of rolls in one file, for Node and browsers",
    {
      text: () => read("roll-verifier.js"),
    },
  ),
  document("/soul", "text/html", "The agents for people: by trust, or newest first", {
    policy: PAGE_POLICY,
    text: () => page("directory.html", "/soul"),
  }),
  document(
    "/soul/{id}",
    "text/html",
    "An agent for people: its score line by line, charts, keys and proofs",
    {
      policy: PAGE_POLICY,
      for_browsers: true,
      text: () => page("agent.html", "/soul"),
    },
  ),
  document("/soul/market", "text/html", "The market for people: nodes, bounties, items and settlements", {
    policy: PAGE_POLICY,
    text: () => page("market.html", "/soul/market"),
  }),
  document("/soul/page/market.js", "text/javascript", "The script of the market's page", {
    text: () => compiled("market.ts"),
  }),
  document("/soul/page/style.css", "text/css", "The additional styles of the pages at /soul", {
    text: () => read("soul.css"),
  }),
  document("/soul/page/directory.js", "text/javascript", "The script of the directory", {
    text: () => compiled("directory.ts"),
  }),
  document("/soul/page/agent.js", "text/javascript", "The script of an agent's page", {
    text: () => compiled("agent.ts"),
  }),
  document("/docs/page.css", "text/css", "The additional styles of the pages at / and /docs", {
    text: () => read("docs.css"),
  }),
  document("/docs/page.js", "text/javascript", "The script of the pages at / and /docs", {
    text: () => compiled("docs.ts"),
  }),
  document(
    "/docs/try.js",
    "text/javascript",
    "The script of an operation's page: its call, and the demo wallet's payment",
    { text: () => compiled("try.ts") },
  ),
  document("/operator/page.js", "text/javascript", "The script of the page at /operator", {
    text: () => compiled("operator.ts"),
  }),
  document("/docs/wallet.js", "text/javascript", "The demo wallet of the operations' pages", {
    text: () => compiled("wallet.ts"),
  }),
  document("/log/icon.svg", "image/svg+xml", "The pages' icon", { text: () => read("icon.svg") }),
  document("/log/icon.png", "image/png", "The icon in 512 pixels, for catalogues", {
    text: () => readFile(join(FOLDER, "icon.png")),
  }),
  document("/favicon.ico", "image/svg+xml", "The icon, where browsers look for it", {
    text: () => read("icon.svg"),
  }),
];

type Source = { policy?: string; for_browsers?: true; text(development: boolean): Promise<string | Buffer> };

function document(
  path: Path,
  type: string,
  summary: string,
  { policy, for_browsers, text }: Source,
): Document {
  let made: Promise<string | Buffer> | undefined;
  return {
    path,
    type,
    summary,
    ...(for_browsers && { for_browsers }),
    async render({ embedded_chain }) {
      // After a failure, the next request tries again.
      made ??= text(embedded_chain).catch((error) => {
        made = undefined;
        throw error;
      });
      const body = await made;
      const headers = {
        "Cache-Control": "no-cache",
        ...(for_browsers && { Vary: "Accept" }),
        ...(policy && { "Content-Security-Policy": policy }),
      };
      return { body, headers };
    },
  };
}

const read = (file: string) => readFile(join(FOLDER, file), "utf8");

const page = async (file: string, place: MenuEntry) =>
  (await read(file)).replace("{{places}}", written(placesFor(place)));

async function exampleRoll(): Promise<string> {
  const { rolls } = JSON.parse(await readFile(join(PACKAGE, "docs/vectors/rng.json"), "utf8")) as {
    rolls: object[];
  };
  return JSON.stringify({ data: rolls[0] }, null, 2);
}

/** The verifiers are served as separate files, because auditors read their source. */
const VERIFIERS = ["./verifier.js", "./roll-verifier.js"];

/** Compiles a page's script into one file. A script that cannot load other files contains the verifiers too. */
export async function compiled(entry: string, external: readonly string[] = VERIFIERS): Promise<string> {
  if (IS_COMPILED) return read(entry.replace(/\.ts$/, ".js"));
  const { build } = await import("esbuild");
  const { outputFiles } = await build({
    entryPoints: [join(FOLDER, entry)],
    bundle: true,
    external: [...external],
    format: "esm",
    target: "es2022",
    minify: true,
    legalComments: "none",
    write: false,
    logLevel: "silent",
  });
  return outputFiles[0]!.text;
}
