/** Clients without support for payments or OpenAPI: with a key they get the answer, without one a readable 402. */
import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { promisify } from "node:util";
import { expect, inject, test } from "vitest";

const run = promisify(execFile);
const place = "/v1/agent/trade/top-partners?reporter=DE&limit=3";

const service = inject("sandbox");

const header = () => `Authorization: ${service.keyed.Authorization}`;

test("curl gets an answer with a key, and the 402 without one", async () => {
  const { stdout } = await run("curl", ["-sS", "--compressed", "-H", header(), service.url + place]);
  expect(JSON.parse(stdout)).toMatchObject({ success: true, data: [{ rank: 1 }, {}, {}, {}] });
  const refused = await run("curl", ["-sS", "-w", "\n%{http_code}", service.url + place]);
  expect(refused.stdout).toMatch(/\n402$/);
  expect(JSON.parse(refused.stdout.split("\n")[0]!)).toMatchObject({ x402Version: 1, accepts: [{}] });
});

test("Python's own library gets an answer with a key, and the 402 without one", async () => {
  const program = `
import json, sys, urllib.request, urllib.error
url, key = sys.argv[1:]
asked = urllib.request.Request(url, headers={"Authorization": key})
answer = json.load(urllib.request.urlopen(asked))
try:
    urllib.request.urlopen(url)
except urllib.error.HTTPError as refused:
    print(json.dumps([answer["data"][0]["rank"], refused.code, json.load(refused)["x402Version"]]))
`;
  const { stdout } = await run("python3", ["-c", program, service.url + place, service.keyed.Authorization!]);
  expect(JSON.parse(stdout)).toEqual([1, 402, 1]);
});

test("axios gets an answer with a key, and the 402 without one", async () => {
  const { default: axios } = await import("axios");
  const { data } = await axios.get(service.url + place, { headers: service.keyed });
  expect(data).toMatchObject({ success: true });
  const { status } = await axios.get(service.url + place, { validateStatus: () => true });
  expect(status).toBe(402);
});

test("the page of clients names the installed clients and their versions", async () => {
  const page = await readFile(new URL("../../docs/clients.md", import.meta.url), "utf8");
  const { dependencies } = JSON.parse(await readFile(new URL("./package.json", import.meta.url), "utf8")) as {
    dependencies: Record<string, string>;
  };
  const rows = [...page.matchAll(/^\| (\S+) \| (\d+\.\d+\.\d+) \|/gm)].map(
    ([, name, version]) => [name!, version!] as const,
  );
  expect(rows.length).toBeGreaterThan(15);
  for (const [name, version] of rows) expect([name, dependencies[name]]).toEqual([name, version]);
});
