import { priceText } from "../declare/access/way.ts";
import { formsOf } from "../declare/forms/form.ts";
import { inputReader } from "../declare/input.ts";
import type { Catalogue, Operation } from "../declare/operation.ts";
import { isInPath, methodOf, pathOf, pathWith } from "../declare/operation-facts.ts";

/** Applies to all figures, so that no operation repeats it. */
export const aboutFigures =
  "An answer's `meta` names the source of its figures: the dataset with its coverage, or the tables. It marks invented figures as " +
  "`synthetic`; they are never mixed with real ones. null is unknown or not delivered, never zero.";

const byArea = ({ areas, operations }: Catalogue) =>
  areas.map(({ name, about }) => ({
    area: name,
    title: about,
    members: operations.filter(({ area }) => area === name),
  }));

/** The generated page docs/operations.md: to change it, edit the catalogue. */
export function operationsPage(catalogue: Catalogue): string {
  const lines = [
    "# Operations",
    "",
    "Generated from the catalogue by `npm run docs`. Send an API key (`Authorization: Bearer sk_…`), or pay per call with",
    "x402; errors are listed at `/problems`. Every operation is also an MCP tool of the same name at `/mcp`, which lists the",
    "most used; `/mcp?areas=all` lists every one, `/mcp?areas=customs,salary` those of the areas below.",
    "",
    "If the log records a call, its answer names the event in `Event-Id` and the event's proof in `Link`. With `Prefer: proof` you",
    "get the proof (c2sp.org/tlog-proof), base64 in `Tlog-Proof`, as soon as a checkpoint covers the event: within 2 s, or the",
    'link alone. Over MCP: send `_meta["tallystick/prefer"]`, read `_meta["tallystick/event"]` and `["tallystick/proof"]`.',
    "With `Prefer: signed` any answer over HTTP carries a signature over question, answer and log position (docs/trust.md).",
    "",
    "`Log-Position` is the event's place in the log. Send it as `Min-Log-Position` of a later read: that includes the event, whichever",
    'process or copy of the database answers. Over MCP: `log_position` of the event, and `_meta["tallystick/min-log-position"]`.',
    "",
    aboutFigures,
    "",
    "An example runs unchanged on a first start with its sandbox key. Operations for agents alone need the key that",
    "`soul_register` returns; those for wallets alone need a payment. A line below the example names fields of other answers.",
    "A `challenge` is a text that `soul_challenge` returns; its `signature` is by a key of the agent.",
    "",
    "An answer is JSON. If other forms are listed, choose one by `Accept`: [Forms of an answer](forms.md).",
    "",
  ];
  for (const { area, title, members } of byArea(catalogue)) {
    lines.push(`## ${area}`, "", `${title}.`, "");
    for (const operation of members) lines.push(...section(operation));
  }
  return lines.join("\n");
}

function section(operation: Operation): string[] {
  const { schema } = inputReader(operation.input);
  const rows = Object.entries(schema.properties).map(([name, property]) => {
    const required = (schema.required ?? []).includes(name) ? " (required)" : "";
    const fallback = "default" in property ? ` Default ${JSON.stringify(property.default)}.` : "";
    return `| \`${name}\`${required} | ${cell(property.description ?? "")}${fallback} |`;
  });
  return [
    `### ${operation.name}`,
    "",
    `\`${operation.route}\` · ${priceText(operation)}`,
    "",
    operation.description,
    "",
    ...(formsOf(operation).length > 1 ? [`Forms: ${formsOf(operation).map(quoted).join(", ")}.`, ""] : []),
    ...(rows.length > 0 ? ["| parameter | meaning |", "|---|---|", ...rows, ""] : []),
    "```",
    exampleOf(operation),
    "```",
    "",
    ...(sourcesOf(operation) === undefined ? [] : [sourcesOf(operation)!, ""]),
  ];
}

const quoted = (form: string) => `\`${form}\``;

const cell = (text: string) => text.replaceAll("|", "\\|").replaceAll("\n", " ");

export function exampleOf(operation: Operation): string {
  const path = pathWith(operation, operation.example);
  const rest = Object.entries(operation.example).filter(([name]) => !isInPath(operation, name));
  if (methodOf(operation) === "POST") return `POST ${path} ${JSON.stringify(Object.fromEntries(rest))}`;
  const query = rest
    .map(([name, value]) => `${name}=${encodeURIComponent(String(value)).replaceAll("%2C", ",")}`)
    .join("&");
  return `${methodOf(operation)} ${path}${query && `?${query}`}`;
}

/** The answers that have the example's fields; undefined: the example has all of them itself. */
export function sourcesOf({ example_from = {} }: Pick<Operation, "example_from">): string | undefined {
  const sentences = Object.entries(example_from).map(([name, calls]) => {
    const first = calls.slice(0, -1).map((call) => `\`${call}\``);
    return `Take \`${name}\` from the answer of \`${calls.at(-1)}\`${first.length > 0 ? `, after ${first.join(", ")}` : ""}.`;
  });
  return sentences.length > 0 ? sentences.join(" ") : undefined;
}

export function llmsPage(catalogue: Catalogue, public_url: string): string {
  const lines = [
    "# Tallystick",
    "",
    "> Data, computation and trust for autonomous agents, sold per call in USDC on Base (x402) or by API key, over one log that anyone can verify.",
    "",
    `Send \`Authorization: Bearer sk_…\`, or call without, sign what the 402 asks for, and call again with it in \`PAYMENT-SIGNATURE\` (x402 version 2) or \`X-PAYMENT\` (version 1). A call that is refused costs nothing; after a 503 call again with the same payment. With \`Prefer: proof\` a call that the log records comes with the proof of its event. MCP: ${public_url}/mcp, with every tool at ${public_url}/mcp?areas=all. OpenAPI: ${public_url}/openapi.json, of one area such as trade ${public_url}/openapi/trade.json. All guides in one text: ${public_url}/llms-full.txt. ${aboutFigures}`,
    "",
  ];
  for (const { title, members } of byArea(catalogue)) {
    lines.push(`## ${title}`, "");
    for (const operation of members) {
      lines.push(
        `- [${operation.name}](${public_url}${pathOf(operation)}): ${operation.summary}; ${priceText(operation)}. \`${exampleOf(operation)}\``,
      );
    }
    lines.push("");
  }
  return lines.join("\n");
}
