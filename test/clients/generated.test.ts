/** Clients generated from OpenAPI: their types fit a call of every operation, and their calls are answered. */
import { execFile } from "node:child_process";
import { mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { OpenAPIClientAxios } from "openapi-client-axios";
import createClient from "openapi-fetch";
import openapiTypes, { astToString } from "openapi-typescript";
import { beforeAll, expect, inject, test } from "vitest";

type Parameter = { name: string; in: string; required?: boolean; example?: unknown };
type Entry = {
  operationId: string;
  parameters: (Parameter | { $ref: string })[];
  requestBody?: { content: Record<string, { example: object }> };
  responses: Record<string, { content?: Record<string, { schema: unknown }> }>;
};
type Document = {
  paths: Record<string, Record<string, Entry>>;
  components: { parameters: Record<string, Parameter> };
};

const service = inject("sandbox");
let described: Document;
beforeAll(async () => {
  described = (await (await fetch(`${service.url}/openapi.json`)).json()) as Document;
});

const parametersOf = ({ parameters }: Entry): Parameter[] =>
  parameters.map((one) =>
    "$ref" in one ? described.components.parameters[one.$ref.split("/").at(-1)!]! : one,
  );

/** A parameter's example, or any text if it is required and has none. */
function valuesOf(entry: Entry, place: string): Record<string, unknown> | undefined {
  const given = parametersOf(entry).filter(
    (one) => one.in === place && (one.required || one.example !== undefined),
  );
  if (place === "header" || given.length === 0) return undefined;
  return Object.fromEntries(given.map(({ name, example }) => [name, example ?? "any"]));
}

/** A function that calls one operation with its example by openapi-fetch, and reads the common fields of the answer. */
function callOf(path: string, method: string, entry: Entry): string {
  const answer = Object.entries(entry.responses).find(([status]) => status.startsWith("2"))![1];
  const [form, { schema }] = Object.entries(answer.content!)[0]!;
  const [inPath, query] = [valuesOf(entry, "path"), valuesOf(entry, "query")];
  const body = entry.requestBody?.content["application/json"]?.example;
  const parseAs = form === "application/json" ? undefined : /^text|ndjson/.test(form) ? "text" : "blob";
  const init = {
    ...((inPath || query) && { params: { ...(inPath && { path: inPath }), ...(query && { query }) } }),
    ...(body && { body }),
    ...(parseAs && { parseAs }),
  };
  const args = Object.keys(init).length > 0 ? `, ${JSON.stringify(init)}` : "";
  const isEnveloped = JSON.stringify(schema).includes('"success":{"const":true}');
  return [
    `export async function ${entry.operationId}() {`,
    `  const { data, error } = await client.${method.toUpperCase()}(${JSON.stringify(path)}${args});`,
    "  if (error) throw new Error(error.detail);",
    isEnveloped ? "  return [data.success, data.data, data.meta] as const;" : "  return data;",
    "}",
  ].join("\n");
}

test("openapi-typescript and openapi-fetch: a call of every operation typechecks, and a wrong one does not", async () => {
  const dir = await mkdtemp(join(tmpdir(), "tallystick-generated-"));
  const modules = new URL("./node_modules", import.meta.url).pathname;
  await symlink(modules, join(dir, "node_modules"));
  await writeFile(join(dir, "paths.d.ts"), astToString(await openapiTypes(described as never)));
  const entries = Object.entries(described.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, entry]) => callOf(path, method, entry)),
  );
  expect(entries.length).toBeGreaterThan(80);
  const head = [
    'import createClient from "openapi-fetch";',
    'import type { paths } from "./paths.d.ts";',
    `const client = createClient<paths>({ baseUrl: "${service.url}" });`,
  ];
  await writeFile(join(dir, "calls.ts"), [...head, ...entries].join("\n"));
  const wrong = [
    'export const one = async () => (await client.GET("/v1/agent/trade/balance", {})).data;',
    'export const two = async () => (await client.GET("/v1/agent/health")).data!.data.no_such_field;',
  ];
  await writeFile(join(dir, "wrong.ts"), [...head, ...wrong].join("\n"));
  const compilerOptions = {
    strict: true,
    module: "nodenext",
    target: "es2022",
    lib: ["es2022", "dom"],
    types: [],
    noEmit: true,
    skipLibCheck: true,
    allowImportingTsExtensions: true,
  };
  await writeFile(
    join(dir, "tsconfig.json"),
    JSON.stringify({ compilerOptions, files: ["calls.ts", "wrong.ts"] }),
  );
  const told = await new Promise<string>((done) =>
    execFile(process.execPath, [`${modules}/typescript/bin/tsc`, "-p", dir], (_, stdout) => done(stdout)),
  );
  const complaints = told.split("\n").filter((line) => /error TS/.test(line));
  expect(complaints.map((line) => /^[\w./-]*?(\w+\.ts)\((\d+)/.exec(line)?.slice(1).join(":"))).toEqual([
    "wrong.ts:4",
    "wrong.ts:5",
  ]);
  await rm(dir, { recursive: true });
});

test("openapi-fetch: its calls are answered, and an error has the type of an error", async () => {
  type Problem = { detail: string };
  const client = createClient<Record<string, Record<string, never>>>({
    baseUrl: service.url,
    headers: service.keyed,
    // Lists are comma-separated, as OpenAPI says; this client repeats the name by default.
    querySerializer: { array: { style: "form", explode: false } },
  });
  const get = client.GET as unknown as (
    path: string,
    init: object,
  ) => Promise<{ data?: { data: object[] }; error?: Problem }>;
  const path = "/v1/agent/trade/timeline";
  const { data } = await get(path, { params: { query: { reporters: ["DE", "FR"], years: "2024" } } });
  expect(data!.data.length).toBeGreaterThan(12);
  const { error } = await get(path, { params: { query: { reporters: ["XX"] } } });
  expect(error!.detail).toMatch(/^invalid input: reporters\.0: no such reporter; /);
});

test("openapi-client-axios: its calls are answered", async () => {
  const api = new OpenAPIClientAxios({
    definition: `${service.url}/openapi.json`,
    axiosConfigDefaults: { headers: service.keyed },
  });
  const client = await api.init();
  const { data } = await client.trade_top_partners!({ reporter: "DE", limit: 3 });
  expect(data).toMatchObject({ success: true, data: [{ rank: 1 }, {}, {}, {}] });
  const rolled = await client.rng_roll!(undefined, { client_seed: "mine", game_type: "coin" });
  expect(rolled.data).toMatchObject({ data: { game_type: "coin" } });
});
