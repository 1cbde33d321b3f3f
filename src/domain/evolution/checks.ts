/**
 * Checks of a draft as a text: nothing of it is run, imported or opened, and no detail quotes it. Hostile drafts try
 * to exhaust the checks: every form here reads each character a few times at most, and the parser, which cannot
 * promise that, runs elsewhere.
 */
import type { Parser } from "../../core/model/ports/parser.ts";
import type { Check } from "./idea.ts";
import { MOST_DRAFT_BYTES } from "./idea.ts";
import { type Breach, breachOf, layerOf } from "./import-rules.ts";
import { COMPUTED, importsIn, type LocatedImport } from "./imports.ts";

/** Incremented with each change of a check. */
export const CHECKS_VERSION = 3;

export type Draft = { target_file: string; bytes: Uint8Array };
/** A draft for the same file that was proposed before. */
export type Earlier = { idea_id: number; text: string };

const KINDS = /\.(ts|json|md|sql|css|html|yml|txt)$/;

export const isPath = (path: string): boolean =>
  path.length <= 200 &&
  /^[A-Za-z0-9_][A-Za-z0-9_./-]*$/.test(path) &&
  path.split("/").every((part) => part !== "" && part !== ".." && !part.startsWith("."));

/** Formats of secrets, ours among them. */
const SECRETS = [
  /sk_(?:live|test)_[A-Za-z0-9_-]{20,}/,
  /whsec_[A-Za-z0-9+/=]{20,}/,
  /-----BEGIN [A-Z ]*PRIVATE KEY-----/,
  /\bAKIA[0-9A-Z]{16}\b/,
  /\bgh[pousr]_[A-Za-z0-9]{30,}/,
  /\bxox[abprs]-[A-Za-z0-9-]{10,}/,
  // Matched from its middle: from each possible beginning it would be read to the end again.
  /\.eyJ(?<=eyJ[A-Za-z0-9_-]{10,}\.eyJ)[A-Za-z0-9_-]{10,}\./,
  /(?:private|secret)[_-]?key["'\s:=]{1,5}(?:0x)?[0-9a-f]{64}\b/i,
];

const ENTROPY_BITS = 4.6;

/** Shannon's entropy of the characters, in bits each. */
function entropy(text: string): number {
  const counts = new Map<string, number>();
  for (const one of text) counts.set(one, (counts.get(one) ?? 0) + 1);
  let bits = 0;
  for (const count of counts.values()) bits -= (count / text.length) * Math.log2(count / text.length);
  return bits;
}

/** The first line with a likely secret. */
function secretLine(text: string): number | undefined {
  const lines = text.split("\n");
  const at = lines.findIndex((line) => {
    if (SECRETS.some((form) => form.test(line))) return true;
    const words = line.match(/[A-Za-z0-9+/_-]{32,128}/g) ?? [];
    return words.some(
      (word) => /\d/.test(word) && /[a-z]/.test(word) && /[A-Z]/.test(word) && entropy(word) >= ENTROPY_BITS,
    );
  });
  return at === -1 ? undefined : at + 1;
}

const sourceName = ({ specifier }: LocatedImport, { target, source }: Breach): string => {
  if (specifier === COMPUTED) return "what is computed";
  if (target === undefined) return "this package or module of Node";
  return source ?? "a file of no layer";
};

function breachText(wanted: LocatedImport, breach: Breach): string {
  const source = sourceName(wanted, breach);
  if (breach.allowed === "types") return `may import only types of ${source}`;
  if (breach.allowed === "no chance") return `may import no random numbers from ${source}`;
  return `may not import ${source}`;
}

/** The most imports that are listed one by one. */
const MOST_LISTED = 10;

/** Checks a draft's imports against its layer, by this repository's own table. */
function importsCheck(file: string, text: string): Omit<Check, "name"> {
  const layer = layerOf(file);
  if (layer === undefined || !file.endsWith(".ts"))
    return { passed: true, detail: "not checked: no TypeScript of a layer" };
  const breaches = new Map<string, number>();
  for (const wanted of importsIn(text)) {
    const breach = breachOf(file, layer, wanted);
    const sentence = breach && breachText(wanted, breach);
    if (sentence && !breaches.has(sentence)) breaches.set(sentence, wanted.line);
  }
  if (breaches.size === 0)
    return { passed: true, detail: "each import found in the text is one that its layer may have" };
  const first = [...breaches].slice(0, MOST_LISTED).map(([sentence, line]) => `line ${line} ${sentence}`);
  return { passed: false, detail: first.join("; ") };
}

async function syntaxFault(file: string, text: string, parser: Parser): Promise<string | undefined> {
  if (file.endsWith(".ts")) {
    const fault = await parser.typescript(text);
    if (fault === "endless") return "takes too long to be parsed, or too much memory";
    return fault && `line ${fault.line}, column ${fault.column} is not a TypeScript`;
  }
  if (file.endsWith(".json")) {
    const fault = parser.json(text);
    return fault && `line ${fault.line}, column ${fault.column} is not JSON`;
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

/** The number of lines that one text has beyond another, with repetitions. */
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

/** The lines that a text has, blank ones aside. */
const distinctLines = (text: string) =>
  new Set(
    linesOf(text)
      .map((line) => line.trim())
      .filter((line) => line !== ""),
  );

/** Share of lines that another text has in common with this one, of all that either has (Jaccard 1901), blank ones aside. */
export function likenessTo(text: string): (other: string) => number {
  const lines = distinctLines(text);
  return (other) => {
    const others = distinctLines(other);
    const both = [...others].filter((line) => lines.has(line)).length;
    const all = lines.size + others.size - both;
    return all === 0 ? 0 : both / all;
  };
}

/** A draft at least this similar repeats an earlier one. */
const ALIKE = 0.95;

/** Every check of a draft, in order. */
export async function checksOf(
  { target_file, bytes }: Draft,
  earlier: readonly Earlier[],
  parser: Parser,
): Promise<Check[]> {
  const text = new TextDecoder().decode(bytes);
  const isText = Buffer.from(text).equals(Buffer.from(bytes)) && !text.includes("\0");
  const says = (name: Check["name"], passed: boolean, detail: string): Check => ({ name, passed, detail });
  const isKnown = isPath(target_file) && KINDS.test(target_file);
  const checks = [
    says("path", isKnown, isKnown ? "a file of the repository" : "names no text file of the repository"),
    says("encoding", isText, isText ? "UTF-8" : "is not UTF-8, or has a NUL"),
    says("size", bytes.length <= MOST_DRAFT_BYTES, `${bytes.length} bytes of ${MOST_DRAFT_BYTES}`),
  ];
  if (checks.some(({ passed }) => !passed)) return checks;
  const secret = secretLine(text);
  const fault = await syntaxFault(target_file, text, parser);
  const alikeTo = likenessTo(text);
  const ranked = earlier
    .map((one) => ({ ...one, alike: alikeTo(one.text) }))
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
    { name: "imports", ...importsCheck(target_file, text) },
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
