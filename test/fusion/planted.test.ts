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
  ["each beside its method", expectTold],
])("%s", async (_, found) => {
  await found(get);
});

test.each([
  ["who buys from one that is named", { hs: "36", country: "IT", flow: "IMPORT" }, ["from Russia"]],
  [
    "who sells to one that is named",
    { hs: "36", country: "IT", flow: "EXPORT" },
    ["to Russia", "to Kazakhstan"],
  ],
  ["both, where no flow is said", { hs: "36", country: "IT" }, ["from Russia", "to Russia", "to Kazakhstan"]],
  [
    "nobody outside by trade that none of the 27 has part in",
    { country: "CN", hs: "29" },
    ["from China", "by Spain"],
  ],
  ["all, where none is said", { hs: "30" }, ["from Russia", "to Russia", "to Kazakhstan", "from France"]],
] as const)("an event touches %s", (_, touched, sentences) => {
  const found = plantedIn({ dataset: "sandbox" }, touched);
  expect(found).toEqual(sentences.map((words) => expect.stringContaining(words)));
  expect(plantedIn({ dataset: "comext-bulk" }, touched)).toEqual([]);
});
