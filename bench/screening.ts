/**
 * Recall for damaged names, false matches, and duration, over the real lists of ../shared/data, next to a plain
 * Jaro–Winkler over whole names and trigrams (Jaccard, like pg_trgm), all at the same rate of false alarms.
 *
 *     npx tsx bench/screening.ts [--each 250] [--beside 60] [--threshold 0.85] [--seed 20260227] [--shuffled 1000]
 * [--data DIR] [--tell]
 */
import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { gunzipSync } from "node:zlib";
import { ofacAlt, ofacSdn } from "../src/datasets/reference/sanctions-ofac.ts";
import { unConsolidated } from "../src/datasets/reference/sanctions-un.ts";
import { indexNames, type List } from "../src/domain/sanctions/index.ts";
import type { ListEntry } from "../src/domain/sanctions/list-entry.ts";
import { METHOD, screen } from "../src/domain/sanctions/screen.ts";
import { jaroWinkler } from "../src/domain/sanctions/similarity.ts";
import { wordsOf } from "../src/domain/sanctions/words.ts";
import {
  crossedNames,
  damages,
  generator,
  inventedNames,
  otherInventedNames,
  shuffledNames,
} from "./names.ts";

const { values } = parseArgs({
  options: {
    each: { type: "string", default: "250" },
    /** Names per kind for the plain ways, which take much longer. */
    beside: { type: "string", default: "60" },
    threshold: { type: "string", default: "0.85" },
    /** The random seed: another number, other names. */
    seed: { type: "string", default: "20260227" },
    shuffled: { type: "string", default: "1000" },
    /** The folder of the lists. */
    data: { type: "string", default: fileURLToPath(new URL("../../shared/data/", import.meta.url)) },
    /** Prints each miss and each false alarm. */
    tell: { type: "boolean", default: false },
    /** Only the damages whose words have this. */
    only: { type: "string", default: "" },
  },
});
const EACH = Number(values.each);
const BESIDE = Number(values.beside);
const THRESHOLD = Number(values.threshold);

const DATA = values.data.endsWith("/") ? values.data : `${values.data}/`;
const FILES = { sdn: "ofac-sdn.csv.gz", alt: "ofac-alt.csv.gz", un: "un-consolidated.xml.gz" };
if (!Object.values(FILES).every((file) => existsSync(DATA + file))) {
  console.log(`The lists are not at ${DATA}: nothing was measured.`);
  process.exit(0);
}
const textOf = (name: string) => ({
  name,
  text: gunzipSync(readFileSync(DATA + name))
    .toString("utf8")
    .replaceAll("\u001a", ""),
});

function lists(): List[] {
  const entries = new Map(
    ofacSdn.layouts[0]!.read(textOf(FILES.sdn)).map((entry) => [entry.entry_id, entry] as const),
  );
  for (const { entry_id, name } of ofacAlt.layouts[0]!.read(textOf(FILES.alt))) {
    const entry = entries.get(entry_id);
    if (entry) entries.set(entry_id, { ...entry, names: [...entry.names, { name, quality: "strong" }] });
  }
  return [
    { list: "ofac", entries: [...entries.values()] },
    { list: "un", entries: unConsolidated.layouts[0]!.read(textOf(FILES.un)) },
  ];
}

const all = lists();
/** The index is built anew for each state of the lists; the first build also compiles the code. */
const BUILDS = 3;
let index = indexNames([]);
for (let build = 1; build <= BUILDS; build++) {
  const [begun, spent] = [performance.now(), process.cpuUsage()];
  index = indexNames(all);
  const { user, system } = process.cpuUsage(spent);
  const clock = Math.round(performance.now() - begun);
  console.log(
    `index ${build}: ${index.names.length} names, ${index.vocabulary.length} words, ${clock} ms by the clock, ${Math.round((user + system) / 1_000)} of the processor`,
  );
}

/** The plain ways: each name as one string, its words as written. */
const flat = index.names.map(({ entry, name }) => ({ entry, text: wordsOf(name.name).join(" ") }));
const trigramsOf = (text: string) => {
  const padded = `  ${text} `;
  return new Set(Array.from({ length: padded.length - 2 }, (_, i) => padded.slice(i, i + 3)));
};
const trigrams = flat.map(({ text }) => trigramsOf(text));
const byTrigram = new Map<string, number[]>();
trigrams.forEach((all, at) => {
  for (const one of all) {
    const known = byTrigram.get(one);
    if (known) known.push(at);
    else byTrigram.set(one, [at]);
  }
});

type Way = (name: string, threshold: number) => Set<ListEntry>;
const ours: Way = (name, threshold) =>
  new Set(screen(index, name, threshold, 10_000).map(({ of }) => of.entry));
const plain: Way = (name, threshold) => {
  const text = wordsOf(name).join(" ");
  return new Set(flat.flatMap((one) => (jaroWinkler(text, one.text) >= threshold ? one.entry : [])));
};
const byTrigrams: Way = (name, threshold) => {
  const mine = trigramsOf(wordsOf(name).join(" "));
  const common = new Map<number, number>();
  for (const one of mine)
    for (const at of byTrigram.get(one) ?? []) common.set(at, (common.get(at) ?? 0) + 1);
  return new Set(
    [...common].flatMap(([at, count]) =>
      count / (mine.size + trigrams[at]!.size - count) >= threshold ? flat[at]!.entry : [],
    ),
  );
};

const random = generator(Number(values.seed));
const persons = index.names.filter(
  ({ entry, words, name }) => entry.kind === "person" && name.quality !== "weak" && words.length >= 2,
);
const others = index.names.filter(
  ({ entry, words, name }) => entry.kind === "entity" && name.quality !== "weak" && words.length >= 2,
);
const vessels = index.names.filter(({ entry, name }) => entry.kind === "vessel" && name.quality !== "weak");
const some = <T>(from: readonly T[], count: number) =>
  Array.from({ length: count }, () => from[Math.floor(random() * from.length)]!);

/** How long this thread has waited for a core, in ms, from Linux; unknown elsewhere. */
const WAITED = "/proc/self/schedstat";
const waited = existsSync(WAITED)
  ? () => Number(readFileSync(WAITED, "utf8").split(" ")[1]) / 1e6
  : () => Number.NaN;

/**
 * Milliseconds of one question. `running`: elapsed time minus the thread's wait for a core. `processor`: of all
 * threads of the process.
 */
type Time = { clock: number; waiting: number; running: number; processor: number };
const times: Time[] = [];
const timed = (name: string) => {
  const [before, spent, start] = [waited(), process.cpuUsage(), performance.now()];
  const found = ours(name, THRESHOLD);
  const clock = performance.now() - start;
  const { user, system } = process.cpuUsage(spent);
  const waiting = waited() - before;
  times.push({ clock, waiting, running: clock - waiting, processor: (user + system) / 1_000 });
  return found;
};
const timesFrom = (first: number, of: keyof Time) => {
  const sorted = times
    .slice(first)
    .map((one) => one[of])
    .sort((a, b) => a - b);
  const at = (share: number) => sorted[Math.floor(sorted.length * share)]!.toFixed(1);
  return `${at(0.5)} · ${at(0.95)}`;
};
const timesOf = (first: number) => ({
  "clock ms, p50 · p95": timesFrom(first, "clock"),
  running: timesFrom(first, "running"),
  processor: timesFrom(first, "processor"),
});
// The compiler's own time is excluded.
for (const { name } of some(index.names, 300)) ours(name.name, THRESHOLD);

const percent = (part: number, whole: number) => (whole ? `${((100 * part) / whole).toFixed(1)} %` : "");
const tell = (...what: string[]) => values.tell && console.log(`  ${what.join(" | ")}`);
const rows: Record<string, string | number>[] = [];
for (const { about, of, damage, country } of damages.filter(({ about }) => about.includes(values.only))) {
  const from = { persons, entities: others, vessels, both: [...persons, ...others] }[of].filter(
    ({ entry }) => country === undefined || entry.countries.some((one) => country.test(one)),
  );
  const requests = some(from, EACH * 4)
    .map(({ entry, name: { name: was } }) => ({ entry, was, name: damage(was, random) }))
    .filter((one): one is { entry: ListEntry; was: string; name: string } => one.name !== undefined)
    .slice(0, EACH);
  const few = requests.slice(0, BESIDE);
  const first = times.length;
  const missed = requests.filter(({ entry, name }) => !timed(name).has(entry));
  for (const { was, name } of missed) tell(about, was, name);
  rows.push({
    what: about,
    names: requests.length,
    [METHOD]: percent(requests.length - missed.length, requests.length),
    ...timesOf(first),
    "Jaro–Winkler": percent(few.filter(({ entry, name }) => plain(name, 0.9).has(entry)).length, few.length),
    trigrams: percent(few.filter(({ entry, name }) => byTrigrams(name, 0.6).has(entry)).length, few.length),
  });
}
for (const [about, names] of [
  ["false alarms: invented names", inventedNames()],
  ["false alarms: other invented names", otherInventedNames()],
  ["false alarms: first names of either, last names of the other", crossedNames()],
  [
    "false alarms: first and last names of the list, shuffled",
    shuffledNames(
      persons.map(({ name }) => name.name),
      Number(values.shuffled),
      random,
    ),
  ],
] as const) {
  const few = some(names, BESIDE);
  const first = times.length;
  const found = names
    .map((name) => ({ name, entries: [...timed(name)] }))
    .filter((one) => one.entries.length);
  // A listed name has exactly its words, so a search must report it.
  const namesakes = found.filter(({ name, entries }) =>
    entries.some((entry) =>
      entry.names.some((one) => wordsOf(name).every((word) => wordsOf(one.name).includes(word))),
    ),
  );
  for (const { name, entries } of found) tell(about, name, ...entries.map((entry) => entry.names[0]!.name));
  rows.push({
    what: about,
    names: names.length,
    [METHOD]: percent(found.length, names.length),
    namesakes: percent(namesakes.length, names.length),
    ...timesOf(first),
    "Jaro–Winkler": percent(few.filter((name) => plain(name, 0.9).size > 0).length, few.length),
    trigrams: percent(few.filter((name) => byTrigrams(name, 0.6).size > 0).length, few.length),
  });
}
// The originals of the list, asked of an index that has none of them.
const ORIGINAL = /\p{Script=Arabic}/u;
const withoutOriginals = indexNames(
  all.map(({ list, entries }) => ({
    list,
    entries: entries.map((entry) => ({
      ...entry,
      names: entry.names.filter(({ name }) => !ORIGINAL.test(name)),
    })),
  })),
);
const originals = index.names.filter(
  ({ entry, name }) => ORIGINAL.test(name.name) && !/[A-Z]/i.test(name.name) && entry.kind === "person",
);
const missedOriginals = originals.filter(
  ({ entry, name }) =>
    !screen(withoutOriginals, name.name, THRESHOLD, 10_000).some(
      ({ of }) => of.entry.entry_id === entry.entry_id,
    ),
);
for (const { entry, name } of missedOriginals) tell("original", entry.names[0]!.name, name.name);
const strangers = originals.map(({ name }, at) => {
  const [first, last] = [name.name.split(" "), originals[(at + 7) % originals.length]!.name.name.split(" ")];
  return [...first.slice(0, Math.ceil(first.length / 2)), ...last.slice(Math.ceil(last.length / 2))].join(
    " ",
  );
});
const wordsIn = (name: string) => new Set(plainLetters(name).split(/[\s-]+/));
const plainLetters = (name: string) =>
  name
    .normalize("NFKC")
    .replaceAll(/[\p{M}\p{Cf}]/gu, "")
    .replaceAll(/[یىے]/g, "ي")
    .replaceAll("ک", "ك")
    .replaceAll(/[أإآٱ]/g, "ا");
const toldStrangers = strangers.filter((name) => screen(withoutOriginals, name, THRESHOLD).length > 0);
// Halves that make up another entry's own original are that entry's name.
const ofAnother = toldStrangers.filter((name) =>
  originals.some((one) => [...wordsIn(name)].every((word) => wordsIn(one.name.name).has(word))),
);
for (const name of toldStrangers)
  tell("halves", name, ...screen(withoutOriginals, name, THRESHOLD).map(({ of }) => of.name.name));
rows.push(
  {
    what: "the Arabic original",
    names: originals.length,
    [METHOD]: percent(originals.length - missedOriginals.length, originals.length),
  },
  {
    what: "false alarms: halves of two Arabic originals",
    names: strangers.length,
    [METHOD]: percent(toldStrangers.length, strangers.length),
    namesakes: percent(ofAnother.length, strangers.length),
  },
);
console.table(rows);
console.log(
  `seed ${values.seed}, threshold ${THRESHOLD}, ${times.length} names, ms (p50 · p95): ${timesFrom(0, "clock")} by the clock, of which the thread waited ${timesFrom(0, "waiting")} for a core; ${timesFrom(0, "running")} without that; ${timesFrom(0, "processor")} of the processor`,
);
