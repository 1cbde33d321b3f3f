/** Charts of agents over HTTP: an image even without data, each the agent's own. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Service, startService } from "../support/service.ts";
import { agencyOf } from "./agency.ts";

let service: Service;
beforeAll(async () => {
  service = await startService({ chain: "embedded" });
  const agency = agencyOf(service.app);
  for (let n = 1; n <= 2; n++) await agency.register(n);
});
afterAll(() => service.stop());

const ask = (path: string, Accept = "image/svg+xml") => fetch(service.url + path, { headers: { Accept } });
const svgOf = async (path: string) => (await ask(path)).text();

test("an image without data says so, as PNG and as SVG", async () => {
  for (const chart of ["trust", "dna"]) {
    const png = await ask(`/soul/SX%231/chart/${chart}`, "image/png");
    expect([png.status, png.headers.get("content-type")]).toEqual([200, "image/png"]);
    expect(
      Buffer.from(await png.arrayBuffer())
        .subarray(1, 4)
        .toString(),
    ).toBe("PNG");
    expect(await svgOf(`/soul/1/chart/${chart}`)).toContain("No data yet");
  }
  const unasked = await fetch(`${service.url}/soul/1/chart/trust`);
  expect(unasked.headers.get("content-type")).toBe("image/png");
});

test("a score is drawn once it is computed, with its attestation", async () => {
  const agency = agencyOf(service.app);
  await agency.seed(1, 40);
  await agency.attest(1, 2, 10);
  await agency.compute(Date.now());
  const svg = await svgOf("/soul/agent.no-2/chart/trust");
  for (const text of ["Trust of SX#2 agent.no-2", "attested", "low", "as of position"])
    expect(svg).toContain(text);
  expect(svg).not.toContain("SYNTHETIC");
  expect(await svgOf("/soul/agent.no-1/chart/trust")).not.toContain("attested");
});

test.each(["days=6", "days=367", "days=x", "days=7.5"])("%s is refused by field", async (query) => {
  for (const chart of ["trust", "dna"]) {
    const answer = await ask(`/soul/1/chart/${chart}?${query}`, "*/*");
    expect([answer.status, ((await answer.json()) as { errors: object[] }).errors]).toMatchObject([
      400,
      [{ path: "days" }],
    ]);
  }
});

test("an unknown agent has no image, and JSON is not an image format", async () => {
  expect((await ask("/soul/nobody/chart/trust")).status).toBe(404);
  expect((await ask("/soul/1/chart/dna", "application/json")).status).toBe(406);
});
