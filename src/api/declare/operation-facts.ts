import type { ReadSource } from "../../core/read-models/readers.ts";
import { paymentOf } from "./access/way.ts";
import {
  type Effect,
  type Method,
  type Operation,
  type OperationDeclaration,
  type Path,
  reads,
  restsOnDataAlone,
} from "./operation.ts";

export function readsOf({
  effect = reads,
  lists,
  reads: log,
}: Pick<Operation, "effect" | "lists" | "reads">): ReadSource | undefined {
  if (effect.changes !== "nothing") return undefined;
  return log ?? (lists === "none" ? undefined : lists);
}

export const effectOf = ({ effect = reads }: Pick<Operation, "effect">): Effect => effect;
/** True if a call may append events. Such an operation takes an Idempotency-Key and is never cached. */
export const isCommand = (operation: Pick<Operation, "effect" | "access">): boolean =>
  paymentOf(operation) !== undefined || effectOf(operation).changes !== "nothing";
export const methodOf = ({ route }: Pick<Operation, "route">) => route.slice(0, route.indexOf(" ")) as Method;
export const pathOf = ({ route }: Pick<Operation, "route">) => route.slice(route.indexOf(" ") + 1) as Path;
export const pathWith = (operation: Pick<Operation, "route">, values: Record<string, unknown>) =>
  pathOf(operation).replaceAll(/\{(\+?)(\w+)\}/g, (_, rest: string, name: string) => {
    const value = encodeURIComponent(String(values[name]));
    return rest ? value.replaceAll("%2F", "/") : value;
  });
export const patternOf = (path: string) =>
  path.replaceAll(/\{(\+?)(\w+)\}/g, (_, rest: string, name: string) => (rest ? "*" : ":") + name);
export const isInPath = (operation: Pick<Operation, "route">, name: string) =>
  pathOf(operation).includes(`{${name}}`) || pathOf(operation).includes(`{+${name}}`);
export function mediaTypeOf({ output }: Pick<Operation, "output">): string {
  switch (output.kind) {
    case "bytes":
    case "file":
      return output.media_type;
    case "json":
      return "application/json";
    case "picture":
      return "image/png";
    case "stream":
      return "application/x-ndjson";
  }
}

export function againTo(
  declared: Pick<OperationDeclaration, "again_to" | "effect" | "output" | "vintage" | "lists">,
): "anybody" | "payer" {
  if (declared.output.kind === "stream") return "payer";
  if (declared.again_to) return declared.again_to;
  return changesNothing(declared) && !restsOnDataAlone(declared) ? "payer" : "anybody";
}

export const isSameForAll = (declared: Parameters<typeof againTo>[0]): boolean =>
  changesNothing(declared) && againTo(declared) === "anybody";

const changesNothing = (declared: Pick<OperationDeclaration, "effect">) =>
  effectOf(declared).changes === "nothing";
