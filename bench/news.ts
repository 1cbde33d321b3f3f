/**
 * Speed of finding events in news: items of a thousand characters, one in five with an event.
 *
 *     npx tsx bench/news.ts [--items 10000]
 *
 * Claim: 10,000 items in less than 60 seconds on one core.
 */
import { parseArgs } from "node:util";
import { EXTRACTOR, extract, namesOf } from "../src/domain/ingest/extract.ts";
import { indexNames } from "../src/domain/sanctions/index.ts";
import type { ListEntry } from "../src/domain/sanctions/list-entry.ts";

const { values } = parseArgs({ options: { items: { type: "string", default: "10000" } } });
const items = Number(values.items);

const entries = Array.from(
  { length: 20_000 },
  (_, at) =>
    ({
      entry_id: String(at),
      names: [{ name: `Trading House ${at} Volkov`, quality: "strong" }],
    }) as ListEntry,
);
const names = namesOf(indexNames([{ list: "invented", entries }]));
const filler = "The committee met again on Tuesday and heard from several members about the season. ".repeat(
  11,
);
const telling =
  "The EU puts anti-dumping duties on furniture from China, and Trading House 7 Volkov was sanctioned. ";

const began = performance.now();
let found = 0;
for (let at = 0; at < items; at++)
  found += extract(`${at} ${filler}${at % 5 === 0 ? telling : ""}`, names, 5).length;
const seconds = (performance.now() - began) / 1_000;
console.log(`${EXTRACTOR}: ${items} items, ${found} events, ${seconds.toFixed(2)} s`);
