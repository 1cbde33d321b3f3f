/** The operations over HTTP find each event planted in the sandbox, from 2005 on too, and disclose it as planted. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { plantedIn } from "../../src/projections/fusion/answers/planted.ts";
import {
  expectDependency,
  expectDetourAndShock,
  expectLead,
  expectTold,
  type Get,
} from "../support/planted.ts";
import { LARGER, openSandbox } from "../support/sandbox.ts";
import { type Service, startService } from "../support/service.ts";

let service: Service;
let get: Get;
beforeAll(async () => {
  service = await startService();
  const { headers } = await service.issue();
  await openSandbox(service, LARGER);
  get = async (path) => {
    const answer = await fetch(service.url + path, { headers });
    expect([answer.status, path]).toEqual([200, path]);
    return (await answer.json()) as never;
  };
});
afterAll(() => service.stop());

test.each([
  ["a dependency", expectDependency],
  ["a lead", expectLead],
  ["a detour, and months that stand out", expectDetourAndShock],
  ["each event next to the method that finds it", expectTold],
])("%s is found", async (_, found) => {
  await found(get);
});

test.each([
  ["a country and its imports", { hs: "36", country: "IT", flow: "IMPORT" }, ["from Russia"]],
  ["a country and its exports", { hs: "36", country: "IT", flow: "EXPORT" }, ["to Russia", "to Kazakhstan"]],
  ["a country without a flow", { hs: "36", country: "IT" }, ["from Russia", "to Russia", "to Kazakhstan"]],
  [
    "a country outside of the 27, if one of the 27 takes part",
    { country: "CN", hs: "29" },
    ["from China", "by Spain"],
  ],
  ["a product alone", { hs: "30" }, ["from Russia", "to Russia", "to Kazakhstan", "from France"]],
] as const)("planted events are found by %s", (_, touched, sentences) => {
  const found = plantedIn({ dataset: "sandbox" }, touched);
  expect(found).toEqual(sentences.map((words) => expect.stringContaining(words)));
  expect(plantedIn({ dataset: "comext-bulk" }, touched)).toEqual([]);
});
