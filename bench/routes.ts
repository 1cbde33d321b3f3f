/**
 * Claim: finding an operation costs the same at any index in the catalogue, and at most a tenth of Express 5's time
 * for the last of as many patterns.
 *
 *     npx tsx bench/routes.ts [--calls 200000] [--rounds 5]
 *
 * Microseconds of CPU time per call, so that other work counts little; medians over the rounds.
 */
import { IncomingMessage, ServerResponse } from "node:http";
import { Socket } from "node:net";
import { parseArgs } from "node:util";
import express from "express";
import { catalogueOf } from "../src/api/declare/catalogue.ts";
import type { Operation } from "../src/api/declare/operation.ts";
import { methodOf, pathOf, pathWith, patternOf } from "../src/api/declare/operation-facts.ts";
import { routeTable } from "../src/api/transports/routes.ts";
import { areas } from "../src/areas/index.ts";
import { median } from "./service-process.ts";

const { values } = parseArgs({
  options: { calls: { type: "string", default: "200000" }, rounds: { type: "string", default: "5" } },
});
const calls = Number(values.calls);

const { operations } = catalogueOf(areas);
const entries = operations.flatMap((operation) =>
  [pathOf(operation), ...operation.aliases].map((path) => ({
    method: methodOf(operation),
    path,
    target: operation,
  })),
);
const table = routeTable(entries);

/** The same routes in Express. */
const router = express.Router();
let met = 0;
for (const { method, path } of entries)
  router[method.toLowerCase() as "get" | "post" | "delete"](patternOf(path), () => {
    met++;
  });

const request = new IncomingMessage(new Socket()) as express.Request;
const answer = new ServerResponse(request) as express.Response;

const contenders: Record<string, (method: string, path: string) => void> = {
  "the table": (method, path) => {
    if (table(method, path)) met++;
  },
  "Express 5, one after another": (method, path) => {
    Object.assign(request, { method, url: path });
    router(request, answer, () => {
      throw new Error(`${path} was not found`);
    });
  },
};

const operationAt = (place: number) => operations[Math.floor(place * (operations.length - 1))]!;
const places = { first: operationAt(0), middle: operationAt(0.5), last: operationAt(1) };

function microseconds(find: (method: string, path: string) => void, operation: Operation): number {
  const [method, path] = [methodOf(operation), pathWith(operation, operation.example)];
  met = 0;
  const before = process.cpuUsage();
  for (let call = 0; call < calls; call++) find(method, path);
  const { user, system } = process.cpuUsage(before);
  if (met !== calls) throw new Error(`${path} was found ${met} times of ${calls}`);
  return (user + system) / calls;
}

console.log(`${entries.length} routes, ${calls} calls a round`);
console.table(
  Object.fromEntries(
    Object.entries(contenders).map(([name, find]) => [
      name,
      Object.fromEntries(
        Object.entries(places).map(([place, operation]) => {
          const rounds = Array.from({ length: Number(values.rounds) }, () => microseconds(find, operation));
          return [`${place}, µs`, median(rounds).toFixed(2)];
        }),
      ),
    ]),
  ),
);
