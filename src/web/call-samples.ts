/** An API call as code to copy, in shell, TypeScript and Python. */

/** In two parts, because the check of imports also reads string literals. */
const IMPORT = "import";

export type CallSample = {
  method: string;
  url: string;
  body: Record<string, unknown> | undefined;
  /** `key: undefined` reads the key from the environment. */
  credential: "none" | "wallet" | { key: string | undefined };
  answer: "json" | "text" | "bytes";
};

export const LANGUAGES = ["curl", "TypeScript", "Python"] as const;
export type Language = (typeof LANGUAGES)[number];

export const KEY_VARIABLE = "TALLYSTICK_KEY";

export const samplesOf = (call: CallSample): Record<Language, string> => {
  const unpaid = (sign: string) =>
    call.credential === "wallet" ? `${sign} Unpaid, this gets a 402; to pay: ${payingFrom(call.url)}\n` : "";
  return {
    curl: unpaid("#") + curlOf(call),
    TypeScript: unpaid("//") + typescriptOf(call),
    Python: unpaid("#") + pythonOf(call),
  };
};

const payingFrom = (url: string) => new URL("/docs/cookbook#pay-for-a-call", url).href;

const inShell = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;

function curlOf({ method, url, body, credential, answer }: CallSample): string {
  const key = typeof credential === "string" ? undefined : (credential.key ?? `$${KEY_VARIABLE}`);
  return [
    `curl -s ${method === "GET" ? "" : `-X ${method} `}${inShell(url)}`,
    ...(key === undefined ? [] : [`-H "Authorization: Bearer ${key}"`]),
    ...(body ? ["-H 'Content-Type: application/json'", `-d ${inShell(JSON.stringify(body))}`] : []),
    ...(answer === "bytes" ? ["-o answer"] : []),
  ].join(" \\\n  ");
}

const READ_IN_TYPESCRIPT = {
  json: "console.log(await response.json());",
  text: "console.log(await response.text());",
  bytes: 'await writeFile("answer", Buffer.from(await response.arrayBuffer()));',
};

/** The Authorization header as an expression in code; without a given key, it reads the environment. */
const bearerOf = (credential: CallSample["credential"], fromEnvironment: string): string | undefined => {
  if (typeof credential === "string") return undefined;
  return credential.key === undefined ? fromEnvironment : JSON.stringify(`Bearer ${credential.key}`);
};

function typescriptOf({ method, url, body, credential, answer }: CallSample): string {
  const bearer = bearerOf(credential, `\`Bearer \${process.env.${KEY_VARIABLE}}\``);
  const headers = [
    ...(bearer === undefined ? [] : [`Authorization: ${bearer}`]),
    ...(body ? ['"Content-Type": "application/json"'] : []),
  ];
  const options = [
    ...(method === "GET" ? [] : [`  method: "${method}",`]),
    ...(headers.length > 0 ? [`  headers: { ${headers.join(", ")} },`] : []),
    ...(body ? [`  body: JSON.stringify(${JSON.stringify(body, null, 2).replaceAll("\n", "\n  ")}),`] : []),
  ];
  return [
    ...(answer === "bytes" ? [`${IMPORT} { writeFile } from "node:fs/promises";`, ""] : []),
    options.length === 0
      ? `const response = await fetch(${JSON.stringify(url)});`
      : `const response = await fetch(${JSON.stringify(url)}, {\n${options.join("\n")}\n});`,
    "if (!response.ok) throw new Error(await response.text());",
    READ_IN_TYPESCRIPT[answer],
  ].join("\n");
}

const READ_IN_PYTHON = {
  json: "print(json.load(response))",
  text: "print(response.read().decode())",
  bytes: 'open("answer", "wb").write(response.read())',
};

/** In the standard library alone; an error status raises HTTPError. */
function pythonOf({ method, url, body, credential, answer }: CallSample): string {
  const bearer = bearerOf(credential, `f"Bearer {os.environ['${KEY_VARIABLE}']}"`);
  const headers = [
    ...(bearer === undefined ? [] : [`"Authorization": ${bearer}`]),
    ...(body ? ['"Content-Type": "application/json"'] : []),
  ];
  return [
    ...(body || answer === "json" ? ["import json"] : []),
    ...(bearer?.startsWith("f") ? ["import os"] : []),
    `from urllib.request ${IMPORT} Request, urlopen`,
    "",
    "request = Request(",
    `    ${JSON.stringify(url)},`,
    ...(headers.length > 0 ? [`    headers={${headers.join(", ")}},`] : []),
    ...(body ? [`    data=json.dumps(${inPython(body, 1)}).encode(),`] : []),
    `    method="${method}",`,
    ")",
    "with urlopen(request, timeout=60) as response:",
    `    ${READ_IN_PYTHON[answer]}`,
  ].join("\n");
}

/** A JSON value as a Python literal. */
function inPython(value: unknown, depth: number): string {
  if (value === null) return "None";
  if (typeof value === "boolean") return value ? "True" : "False";
  if (typeof value !== "object") return JSON.stringify(value);
  const indent = "    ".repeat(depth);
  const parts = Array.isArray(value)
    ? value.map((one) => inPython(one, depth + 1))
    : Object.entries(value).map(([name, one]) => `${JSON.stringify(name)}: ${inPython(one, depth + 1)}`);
  const [open, close] = Array.isArray(value) ? "[]" : "{}";
  if (parts.length === 0) return `${open}${close}`;
  return `${open}\n${parts.map((part) => `${indent}    ${part},\n`).join("")}${indent}${close}`;
}
