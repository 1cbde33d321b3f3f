/** A call of every operation typechecks against the TypeScript client, and a wrong one does not. */
import { execFile } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { clientFolder, document } from "./built.ts";

type Parameter = { name: string; in: string; required?: boolean; example?: unknown };
type Entry = {
  operationId: string;
  parameters: (Parameter | { $ref: string })[];
  requestBody?: { content: Record<string, { example: object }> };
  responses: Record<string, { content?: Record<string, { schema: object }> }>;
};
const { paths, components } = document as unknown as {
  paths: Record<string, Record<string, Entry>>;
  components: { parameters: Record<string, Parameter> };
};

/** A parameter's example, or any text if it is required and has none. */
function valuesOf({ parameters }: Entry, place: string): Record<string, unknown> | undefined {
  const given = parameters
    .map((one) => ("$ref" in one ? components.parameters[one.$ref.split("/").at(-1)!]! : one))
    .filter((one) => one.in === place && (one.required || one.example !== undefined));
  return given.length === 0
    ? undefined
    : Object.fromEntries(given.map(({ name, example }) => [name, example ?? "any"]));
}

/** A function that calls one operation with its example, and reads the common fields of the answer. */
function callOf(path: string, method: string, entry: Entry): string {
  const [, answer] = Object.entries(entry.responses).find(([status]) => status.startsWith("2"))!;
  const [form, { schema }] = Object.entries(answer.content!)[0]!;
  const [inPath, query] = [valuesOf(entry, "path"), valuesOf(entry, "query")];
  const body = entry.requestBody?.content["application/json"]?.example;
  const parseAs = form === "application/json" ? undefined : /^text|ndjson/.test(form) ? "text" : "blob";
  const init = {
    ...((inPath || query) && { params: { ...(inPath && { path: inPath }), ...(query && { query }) } }),
    ...(body && { body }),
    ...(parseAs && { parseAs }),
  };
  const given = Object.keys(init).length > 0 ? `, ${JSON.stringify(init)}` : "";
  const isEnveloped = JSON.stringify(schema).includes('"success":{"const":true}');
  return [
    `export async function ${entry.operationId}() {`,
    `  const { data, error } = await client.${method.toUpperCase()}(${JSON.stringify(path)}${given});`,
    "  if (error) throw new Error(error.detail);",
    isEnveloped ? "  return [data.success, data.data, data.meta] as const;" : "  return data;",
    "}",
  ].join("\n");
}

const OPTIONS = {
  ...{ strict: true, module: "nodenext", target: "es2022", lib: ["es2023", "dom"], types: [], noEmit: true },
  skipLibCheck: true,
};

/** One call a line; each line has a mistake. */
const MISTAKES = [
  'export const missing = async () => (await client.GET("/v1/agent/trade/balance", {})).data;',
  'export const field = async () => (await client.GET("/v1/agent/health")).data!.data.no_such_field;',
  'export const path = async () => (await client.GET("/v1/agent/nowhere")).data;',
  "export const wallet = () => pay(url, { address: 1 });",
  "export const proof = () => verifyProof({}, { key: 1 });",
];

test("each operation's example compiles, on Node and in a Worker, and five mistakes do not", async () => {
  const folder = await clientFolder();
  const calls = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, entry]) => callOf(path, method, entry)),
  );
  expect(calls.length).toBeGreaterThan(200);
  const head = (from: string) => [
    `import { connect, pay, verifyProof } from "${from}";`,
    'const url = "https://tally.example.org";',
    "export const client = connect(url);",
    "export { pay, verifyProof };",
  ];
  await writeFile(join(folder, "calls.ts"), [...head("tallystick-client"), ...calls].join("\n"));
  await writeFile(join(folder, "worker.ts"), [...head("tallystick-client/worker"), calls[0]!].join("\n"));
  await writeFile(join(folder, "mistakes.ts"), [...head("tallystick-client"), ...MISTAKES].join("\n"));
  await writeFile(
    join(folder, "tsconfig.json"),
    JSON.stringify({ compilerOptions: OPTIONS, files: ["calls.ts", "worker.ts", "mistakes.ts"] }),
  );
  await writeFile(join(folder, "package.json"), '{ "type": "module" }\n');
  const compiler = fileURLToPath(new URL("../../node_modules/tsc/bin/tsc", import.meta.url));
  const printed = await new Promise<string>((done) =>
    execFile(process.execPath, [compiler, "-p", folder], (_, stdout) => done(stdout)),
  );
  const found = printed.split("\n").filter((line) => /error TS/.test(line));
  const lines = found.map((line) => /([\w-]+\.ts)\((\d+)/.exec(line)?.slice(1).join(":"));
  const first = head("").length + 1;
  expect(lines).toEqual(MISTAKES.map((_, at) => `mistakes.ts:${first + at}`));
});
