/** What is said of a draft as a text: nothing of it is run, imported or opened, and no detail quotes it. */
import type { Check } from "./idea.ts";
import { MOST_DRAFT_BYTES } from "./idea.ts";

/** One more whenever a check changes. */
export const CHECKS_VERSION = 2;

/** Whether TypeScript of this form has no error of syntax; the place of the first one. */
export type Parse = (text: string) => Promise<{ line: number; column: number } | undefined>;

export type Draft = { target_file: string; bytes: Uint8Array };
/** A draft for the same file that was proposed before. */
export type Earlier = { idea_id: number; text: string };

const KINDS = /\.(ts|json|md|sql|css|html|yml|txt)$/;

export const isPath = (path: string): boolean =>
  path.length <= 200 &&
  /^[A-Za-z0-9_][A-Za-z0-9_./-]*$/.test(path) &&
  path.split("/").every((part) => part !== "" && part !== ".." && !part.startsWith("."));

/** Forms in which secrets are handed out; ours among them. */
const SECRETS = [
  /sk_(?:live|test)_[A-Za-z0-9_-]{20,}/,
  /whsec_[A-Za-z0-9+/=]{20,}/,
  /-----BEGIN [A-Z ]*PRIVATE KEY-----/,
  /\bAKIA[0-9A-Z]{16}\b/,
  /\bgh[pousr]_[A-Za-z0-9]{30,}/,
  /\bxox[abprs]-[A-Za-z0-9-]{10,}/,
  /\beyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\./,
  /(?:private|secret)[_-]?key["'\s:=]{1,5}(?:0x)?[0-9a-f]{64}\b/i,
];

const LONGEST_WORD = 4_096;
const ENTROPY_BITS = 4.6;

/** Shannon's entropy of the characters, in bits each. */
function entropy(text: string): number {
  const counts = new Map<string, number>();
  for (const one of text) counts.set(one, (counts.get(one) ?? 0) + 1);
  let bits = 0;
  for (const count of counts.values()) bits -= (count / text.length) * Math.log2(count / text.length);
  return bits;
}

/** The first line on which something looks like a secret. */
function secretLine(text: string): number | undefined {
  const lines = text.split("\n");
  const at = lines.findIndex((line) => {
    if (SECRETS.some((form) => form.test(line))) return true;
    const words = line.slice(0, LONGEST_WORD).match(/[A-Za-z0-9+/_-]{32,128}/g) ?? [];
    return words.some(
      (word) => /\d/.test(word) && /[a-z]/.test(word) && /[A-Z]/.test(word) && entropy(word) >= ENTROPY_BITS,
    );
  });
  return at === -1 ? undefined : at + 1;
}

/** Which folders of src a folder may import from beside its own, as ARCHITECTURE.md has it. */
export const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  domain: [],
  datasets: ["domain"],
  projections: ["datasets", "domain"],
  chain: ["domain"],
  outside: ["domain"],
  reactors: ["chain", "domain", "outside", "projections"],
  operator: ["chain", "datasets", "domain", "projections", "reactors"],
  adapters: ["domain"],
  anchoring: ["chain", "domain", "projections"],
  audit: ["anchoring", "domain"],
  witness: ["adapters", "anchoring"],
  worker: ["adapters", "domain"],
  api: ["anchoring", "audit", "chain", "datasets", "domain", "projections", "reactors"],
  areas: ["anchoring", "api", "domain", "projections", "reactors"],
  migrations: [
    "adapters",
    "anchoring",
    "api",
    "areas",
    "chain",
    "datasets",
    "domain",
    "operator",
    "projections",
    "reactors",
  ],
  explorer: [],
  cli: [
    "anchoring",
    "api",
    "areas",
    "audit",
    "datasets",
    "domain",
    "operator",
    "outside",
    "projections",
    "witness",
    "worker",
  ],
};

const folderOf = (path: string): string | undefined =>
  Object.keys(MAY_IMPORT).find((folder) => path.startsWith(`src/${folder}/`));

/** The path that an import of a file comes to. */
function resolved(file: string, to: string): string {
  const parts = file.split("/").slice(0, -1);
  for (const part of to.split("/")) {
    if (part === "..") parts.pop();
    else if (part !== ".") parts.push(part);
  }
  return parts.join("/");
}

/** Folders that a draft imports from and may not. */
function forbidden(file: string, text: string): string[] {
  const own = folderOf(file);
  if (own === undefined || !file.endsWith(".ts")) return [];
  const found = [
    ...text.matchAll(/(?:\bfrom\s*|\bimport\s*\(?\s*)["'](\.{1,2}\/[^"'\n]{1,300})["']/g),
  ].flatMap(([, to]) => folderOf(resolved(file, to!)) ?? []);
  return [...new Set(found)].filter((folder) => folder !== own && !MAY_IMPORT[own]!.includes(folder));
}

async function syntaxFault(file: string, text: string, parse: Parse): Promise<string | undefined> {
  if (file.endsWith(".ts")) {
    const fault = await parse(text);
    return fault && `line ${fault.line}, column ${fault.column} is no TypeScript`;
  }
  if (file.endsWith(".json")) {
    try {
      JSON.parse(text);
      return undefined;
    } catch {
      return "is no JSON";
    }
  }
  if (file.endsWith(".md")) {
    const odd = [...text.matchAll(/\]\(([^)\s]{1,2000})/g)].filter(
      ([, to]) => !/^(https:\/\/|#|\.{0,2}\/?[\w./#-]+$)/.test(to!),
    );
    return odd.length === 0 ? undefined : `${odd.length} links lead to neither https, a file nor a heading`;
  }
  return undefined;
}

const linesOf = (text: string) => text.split("\n");

/** How many lines a text has that another has not, each as often as it stands. */
function linesBeyond(text: string, other: string): number {
  const left = new Map<string, number>();
  for (const line of linesOf(other)) left.set(line, (left.get(line) ?? 0) + 1);
  let beyond = 0;
  for (const line of linesOf(text)) {
    const count = left.get(line) ?? 0;
    if (count === 0) beyond++;
    else left.set(line, count - 1);
  }
  return beyond;
}

/** Share of lines that two texts have in common, of all that either has (Jaccard 1901), blank ones aside. */
export function likeness(text: string, other: string): number {
  const of = (one: string) =>
    new Set(
      linesOf(one)
        .map((line) => line.trim())
        .filter((line) => line !== ""),
    );
  const [a, b] = [of(text), of(other)];
  const both = [...a].filter((line) => b.has(line)).length;
  return a.size + b.size - both === 0 ? 0 : both / (a.size + b.size - both);
}

/** As much alike, a draft is one that was proposed before. */
export const ALIKE = 0.95;

/** Every check of a draft, in order. */
export async function checksOf(
  { target_file, bytes }: Draft,
  earlier: readonly Earlier[],
  parse: Parse,
): Promise<Check[]> {
  const text = new TextDecoder().decode(bytes);
  const isText = Buffer.from(text).equals(Buffer.from(bytes)) && !text.includes("\0");
  const says = (name: Check["name"], passed: boolean, detail: string): Check => ({ name, passed, detail });
  const isKnown = isPath(target_file) && KINDS.test(target_file);
  const checks = [
    says("path", isKnown, isKnown ? "a file of the repository" : "names no text file of the repository"),
    says("encoding", isText, isText ? "UTF-8" : "is no UTF-8, or has a NUL"),
    says("size", bytes.length <= MOST_DRAFT_BYTES, `${bytes.length} bytes of ${MOST_DRAFT_BYTES}`),
  ];
  if (checks.some(({ passed }) => !passed)) return checks;
  const secret = secretLine(text);
  const fault = await syntaxFault(target_file, text, parse);
  const layers = forbidden(target_file, text);
  const ranked = earlier
    .map((one) => ({ ...one, alike: likeness(text, one.text) }))
    .toSorted((a, b) => b.alike - a.alike || a.idea_id - b.idea_id);
  const [nearest] = ranked;
  const isOld = nearest !== undefined && nearest.alike >= ALIKE;
  const added = linesBeyond(text, nearest?.text ?? "");
  const removed = nearest ? linesBeyond(nearest.text, text) : 0;
  return [
    ...checks,
    says(
      "secrets",
      secret === undefined,
      secret === undefined ? "none found" : `line ${secret} looks like a secret`,
    ),
    says("syntax", fault === undefined, fault ?? "no fault found"),
    says(
      "imports",
      layers.length === 0,
      layers.length === 0 ? "keeps to its layer" : `may not import ${layers.join(", ")}`,
    ),
    says(
      "lines",
      true,
      `${added} added and ${removed} removed, against ${nearest ? "the nearest earlier draft" : "nothing"}`,
    ),
    says(
      "likeness",
      !isOld,
      nearest
        ? `${Math.round(nearest.alike * 100)} % like idea ${nearest.idea_id}`
        : "no earlier draft for the file",
    ),
  ];
}
