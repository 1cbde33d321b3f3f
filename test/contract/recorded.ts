/**
 * Recording of example answers for OpenAPI by the catalogue's contract test: `RECORD=1` writes all anew,
 * `RECORD=notes_write,notes_list` only those of these operations.
 */
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";

const { RECORD = "" } = process.env;

export const isRecording = RECORD !== "";

const FILE = join(import.meta.dirname, "../../src/api/declare/generated/recorded-answers.json");

/** One entry of a list suffices as an example. */
const MOST_ENTRIES = 1;
export const MOST_TEXT = 400;

const EXAMPLE_HOST = "tallystick.example";

type Container = Record<string, unknown> | unknown[];

/** The answer with shorter lists and texts, as far as it still fits its schema. */
export function shortened(answer: object, fits: (answer: object) => boolean): object {
  const copy = structuredClone(answer);
  const trial = (change: () => () => void) => {
    const undo = change();
    if (!fits(copy)) undo();
  };
  const shorten = (part: unknown): void => {
    if (typeof part !== "object" || part === null) return;
    if (Array.isArray(part) && part.length > MOST_ENTRIES)
      trial(() => {
        const cut = part.splice(MOST_ENTRIES);
        return () => void part.push(...cut);
      });
    for (const [name, inner] of Object.entries(part as Container)) {
      if (typeof inner === "string" && inner.length > MOST_TEXT)
        trial(() => {
          const fields = part as Record<string, unknown>;
          fields[name] = `${inner.slice(0, MOST_TEXT)}…`;
          return () => void (fields[name] = inner);
        });
      else shorten(inner);
    }
  };
  shorten(copy);
  return copy;
}

/** Without the test's address and without secrets, even those of a service that is gone. */
const published = (text: string, url: string): string =>
  text
    .replaceAll(url, `https://${EXAMPLE_HOST}`)
    .replaceAll(new URL(url).host, EXAMPLE_HOST)
    .replaceAll(/\b(sk_(?:live|test|soul)_)[\w-]{20,}/g, (_, kind: string) => kind + "0".repeat(43))
    .replaceAll(/\b(whsec_)[\w-]{20,}/g, (_, kind: string) => kind + "0".repeat(43));

const answers = new Map<string, unknown>();

export const record = (name: string, answer: unknown): void => void answers.set(name, answer);

/** Writes the recorded answers, in the order of their names. */
export async function writeRecorded(url: string): Promise<void> {
  const others = RECORD === "1" ? {} : (JSON.parse(await readFile(FILE, "utf8")) as Record<string, unknown>);
  const wanted =
    RECORD === "1" ? [...answers] : [...answers].filter(([name]) => RECORD.split(",").includes(name));
  const merged = Object.entries({ ...others, ...Object.fromEntries(wanted) });
  const sorted = Object.fromEntries(merged.sort(([a], [b]) => (a < b ? -1 : 1)));
  await writeFile(FILE, `${published(JSON.stringify(sorted, null, 1), url)}\n`);
}
