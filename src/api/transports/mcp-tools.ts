import type { Tool } from "@modelcontextprotocol/server";
import { refuse } from "../../core/model/refusal.ts";
import { BASE } from "../../domain/payments/usdc.ts";
import { paymentOf, priceText } from "../declare/access/way.ts";
import { formsOf } from "../declare/forms/form.ts";
import { inputReader } from "../declare/input.ts";
import { type JsonSchema, jsonSchemaOf, withoutPatterns } from "../declare/json-schema.ts";
import type { Operation } from "../declare/operation.ts";
import { effectOf } from "../declare/operation-facts.ts";
import type { Output } from "../declare/output.ts";
import { aboutFigures } from "../describe/reference.ts";
import { iconsOf } from "../describe/tool-icons.ts";
import { viewUri } from "../describe/views.ts";
import { defaultTools } from "./default-tools.ts";

export const instructionsOf = (areas: readonly string[]) =>
  "EU trade data and more, sold per call. Send an API key in the Authorization header of the MCP connection, or pay: " +
  "a tool that needs payment answers isError with an x402 requirement; call it again with the payment in " +
  '_meta["x402/payment"]. Prices are in each tool\'s _meta. With _meta["tallystick/prefer"] = "proof" a call that is ' +
  'recorded comes back with the proof of its event in the log in _meta["tallystick/proof"]. ' +
  'Tools that draw a chart add it for _meta["tallystick/accept"] = "image/png". ' +
  `${aboutFigures} ` +
  "The list has the most used operations: operations_find finds the rest by words and operations_call calls it. The address with " +
  `?areas=all, or ?areas= and some of ${areas.join(", ")}, lists them as tools of their own.`;

/** A tool that calls any operation, because clients let a model call only listed tools. */
const callAny: Tool = {
  name: "operations_call",
  title: "Call any operation by its name",
  description:
    "Calls any operation by its name: those that operations_find names, and more than are listed here. The answer and the price are the operation's own.",
  inputSchema: {
    type: "object",
    required: ["name"],
    properties: {
      name: { type: "string", description: "The operation's name, such as trade_seasonality" },
      arguments: { type: "object", description: "Its input, as operations_find shows it; omitted = none" },
    },
  },
  // The tool may call any operation, so it declares the strongest effects of all.
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true },
};

export function meantBy(
  name: string,
  given: Record<string, unknown> = {},
): { name: string; arguments: Record<string, unknown> } | undefined {
  if (name !== callAny.name) return { name, arguments: given };
  const { name: meant, arguments: own = {} } = given;
  if (typeof meant !== "string" || typeof own !== "object" || own === null || Array.isArray(own))
    return undefined;
  return { name: meant, arguments: own as Record<string, unknown> };
}

type ListedTool = { area: string; tool: Tool; view: string | undefined };

/** For a host that shows views, adds the address of the tool's view. */
const shownTo = (showsViews: boolean, { tool, view }: ListedTool): Tool =>
  showsViews && view ? { ...tool, _meta: { ...tool._meta, ui: { resourceUri: view } } } : tool;

export function toolLists(
  operations: readonly Operation[],
  public_url: string,
): (areas: readonly string[], areaList: string | null) => (showsViews: boolean) => Tool[] {
  const made = () => {
    const tools = operations.map((operation): ListedTool => {
      const { area } = operation;
      return { area, tool: toolOf(operation, public_url), view: viewUri(operation) };
    });
    const any: ListedTool = {
      area: "",
      tool: { ...callAny, icons: iconsOf("", public_url) },
      view: undefined,
    };
    return { tools, byName: new Map([any, ...tools].map((one) => [one.tool.name, one])) };
  };
  // Made at the first use, because the schemas would take a tenth of the service's start.
  let toolCache: ReturnType<typeof made> | undefined;
  return (areas, areaList) => {
    toolCache ??= made();
    const { tools, byName } = toolCache;
    const all = (chosen: ListedTool[]) => (showsViews: boolean) =>
      chosen.map((one) => shownTo(showsViews, one));
    if (areaList === null) return all(defaultTools.flatMap((name) => byName.get(name) ?? []));
    const wanted = areaList.split(",");
    const unknown = wanted.find((area) => area !== "all" && !areas.includes(area));
    if (unknown) refuse("invalid", `areas: ${unknown} is not one of all, ${areas.join(", ")}`);
    return all(tools.filter(({ area }) => wanted.includes("all") || wanted.includes(area)));
  };
}

/**
 * Output schemas are left out: older clients would check the structuredContent of errors against them, and hide the
 * error. x402 requires errors there. The description names the fields instead.
 */
function toolOf(operation: Operation, public_url: string): Tool {
  const payment = paymentOf(operation);
  const { schema } = inputReader(operation.input);
  const { changes, repeatable, reaches_out } = effectOf(operation);
  return {
    name: operation.name,
    title: titleOf(operation.name),
    icons: iconsOf(operation.area, public_url),
    description: [
      `${operation.summary}.`,
      operation.description.replaceAll("\n", " "),
      ...outline(operation.output),
      ...(payment ? [`Price: ${priceText(operation)}.`] : []),
      ...(operation.output.kind === "json" && formsOf(operation).includes("image/png") ? [PICTURE] : []),
    ].join(" "),
    inputSchema: withoutPatterns(schema) as Tool["inputSchema"],
    annotations: {
      readOnlyHint: changes === "nothing",
      destructiveHint: changes === "takes",
      idempotentHint: repeatable,
      openWorldHint: reaches_out,
    },
    ...(payment && {
      _meta: { "x402/price": { currency: "USD", amount: payment.unit_price, network: BASE.network } },
    }),
  };
}

/**
 * The title for people, made from the name: the summary already begins the description, and lists are limited in
 * size.
 */
const titleOf = (name: string): string => `${name[0]!.toUpperCase()}${name.slice(1).replaceAll("_", " ")}`;

const PICTURE = "Draws a chart.";

/** A few fields are enough to distinguish a tool. */
const MOST_FIELDS = 8;

function outline(output: Output): string[] {
  if (output.kind !== "json") return [];
  const { properties = {}, $defs = {} } = jsonSchemaOf(output.schema, "output");
  const { data } = properties;
  const resolved = ($ref: string | undefined) => $defs[$ref?.split("/").at(-1) ?? ""];
  const own = data && (resolved(data.$ref) ?? data);
  const row = own?.items && (resolved(own.items.$ref) ?? own.items);
  const fields = namesOf(row ?? own ?? { properties });
  if (fields.length === 0) return [];
  const more = fields.length > MOST_FIELDS ? " and more" : "";
  return [`Returns ${row ? "rows of " : ""}${fields.slice(0, MOST_FIELDS).join(", ")}${more}.`];
}

const namesOf = ({ properties, anyOf = [] }: JsonSchema): string[] => [
  ...new Set([...Object.keys(properties ?? {}), ...anyOf.flatMap(namesOf)]),
];
