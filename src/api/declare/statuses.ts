/** The statuses an operation may refuse with: those of its kind, of its ways in, and those that it declares. */
import { paymentOf } from "./access/way.ts";
import { formsOf } from "./forms/form.ts";
import type { OperationDeclaration } from "./operation.ts";
import { isCommand, methodOf, readsOf } from "./operation-facts.ts";

/** Bad input, a bad credential, too many calls; and a part that is away. */
const EVERYWHERE = [400, 401, 429, 503];
/** What is wrong with the call whatever it asks: told of all operations at once. */
export const OF_ANY_CALL: readonly number[] = [400, 401, 406, 413, 415, 429];
/** Of a call that writes: two under one Idempotency-Key, a body that is too large, of another type, or not what the key named. */
const WRITING = [409, 413, 415, 422];
/** Of a call that may leave something in the log, also where it has no body. */
const NAMED = [409, 422];
/** Of a file: conditions and ranges that it does not meet. */
const FILE = [412, 416];

export function refusalsOf(operation: OperationDeclaration): ReadonlySet<number> {
  const { access, output, refuses = [], moves_money } = operation;
  return new Set([
    ...EVERYWHERE,
    ...access.flatMap(({ statuses }) => statuses),
    ...(methodOf(operation) === "GET" ? [] : WRITING),
    ...(isCommand(operation) ? NAMED : []),
    ...(formsOf(operation).length > 0 ? [406] : []),
    ...(output.kind === "file" ? FILE : []),
    ...(moves_money ? [403] : []),
    ...(paymentOf(operation) ? [402] : []),
    // What it is asked to know may be of another history.
    ...(readsOf(operation) ? [409] : []),
    ...refuses,
  ]);
}
