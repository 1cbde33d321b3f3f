/**
 * docs/vectors/forged.json: exact consequences of the text, as changes to the packs next to it; `npx tsx
 * test/audit/forged-vectors.ts` writes it anew.
 */
import { writeFileSync } from "node:fs";
import { linesOf } from "./pack-builder.ts";
import { type PackTampering, type PartName, truePack } from "./pack-tampering.ts";
import { exactCases, exactVariations } from "./pack-tampering-exact.ts";

const FILES: Record<PartName, string> = {
  whole: "pack.ndjson",
  part: "part-pack.ndjson",
  stream: "stream-pack.ndjson",
};

/** A case in the form of docs/vectors: which lines of which pack are replaced. */
function splicedFrom({ name, lines, held, fails }: PackTampering) {
  const part = name.slice(0, name.indexOf(":")) as PartName;
  const base = linesOf(truePack(part));
  const bent = lines.flatMap((line) => line.split("\n"));
  let at = 0;
  while (at < bent.length && base[at] === bent[at]) at++;
  let rest = 0;
  while (rest < Math.min(base.length, bent.length) - at && base.at(-1 - rest) === bent.at(-1 - rest)) rest++;
  const { key, checkpoints, heads } = held;
  return {
    name,
    pack: FILES[part],
    ...{ from: at, lines: base.length - at - rest, put: bent.slice(at, bent.length - rest) },
    options: {
      key,
      checkpoints,
      heads: heads?.map(({ position, hash_prefix }) => `${position}:${hash_prefix}`),
    },
    fails,
  };
}

export const forgedVectors = () => ({
  about:
    "Packs beside this file with some lines changed: from the line with number `from` (the header is 0) take `lines` away and put those of `put` there. `fails`: each verdict that fails with the first place that is bad; a verifier leaves out those it does not give. The options are what the auditor holds.",
  cases: [...exactCases, ...exactVariations].map(splicedFrom),
});

export const forgedText = (): string => `${JSON.stringify(forgedVectors(), null, 2)}\n`;

if (process.argv[1] === import.meta.filename)
  writeFileSync(new URL("../../docs/vectors/forged.json", import.meta.url), forgedText());
