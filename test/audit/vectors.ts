/** Builds the packs of docs/vectors; `npx tsx test/audit/vectors.ts` records them anew, with anchors of a fresh chain. */
import { readFileSync, writeFileSync } from "node:fs";
import { signerOf } from "../anchoring/signers.ts";
import { openWorkshop } from "../chain/fixture.ts";
import { log, ORIGIN } from "../eventstore/tampering.ts";
import {
  type AnchorLine,
  anchorsOn,
  keyOf,
  type NoteSigner,
  type PackPlan,
  packOf,
  textOf,
} from "./pack-builder.ts";

const VECTORS = new URL("../../docs/vectors/", import.meta.url);

export const LOG: NoteSigner = { name: ORIGIN, type: 1, signer: signerOf("the log of the vectors") };
export const WITNESS: NoteSigner = {
  name: "witness.test/w1",
  type: 4,
  signer: signerOf("a witness of the vectors"),
};
export const ANCHORED = [4, 8];

/** Nine events; checkpoints of 4, 7 and 9, anchors of 4 and 8. */
export const planOf = (anchors: AnchorLine[]): PackPlan => ({
  origin: ORIGIN,
  rows: log(),
  log: LOG,
  witnesses: [WITNESS],
  checkpoints: [4, 7, 9],
  anchors,
});

export const PACKS: Record<string, Partial<PackPlan>> = {
  "pack.ndjson": {},
  "part-pack.ndjson": { first: 7 },
  "stream-pack.ndjson": { stream: { tenant: "acme", stream_id: "order" } },
};

export const packText = (name: string, anchors: AnchorLine[]): string =>
  textOf(packOf({ ...planOf(anchors), ...PACKS[name] }));

export const readPack = (name: string): string => readFileSync(new URL(name, VECTORS), "utf8");

/** The anchors in a recorded pack. */
export const recordedAnchors = (): AnchorLine[] =>
  readPack("pack.ndjson")
    .split("\n")
    .filter((line) => line.startsWith('{"evidence":"anchor"'))
    .map((line) => JSON.parse(line));

/** What a verifier says of the packs: nothing fails, and how far each is proven. */
export function packVerdicts(anchors: AnchorLine[]) {
  const { network, contract, signer } = anchors[0]!;
  return {
    about:
      "Packs whose verdicts are all green with these options, and up to which position (of a stream: version) each is anchored and signed.",
    options: { key: keyOf(LOG), witness: keyOf(WITNESS), network, contract, signer },
    reach: {
      "pack.ndjson": { events: 9, anchored: 8, signed: 9 },
      "part-pack.ndjson": { events: 3, anchored: 8, signed: 9 },
      "stream-pack.ndjson": { events: 3, anchored: 3, signed: 3 },
    } as Record<string, { events: number; anchored: number; signed: number }>,
  };
}

if (process.argv[1] === import.meta.filename) {
  const workshop = await openWorkshop();
  try {
    const anchors = await anchorsOn(workshop, ORIGIN, log(), ANCHORED);
    for (const name of Object.keys(PACKS)) writeFileSync(new URL(name, VECTORS), packText(name, anchors));
    writeFileSync(new URL("packs.json", VECTORS), `${JSON.stringify(packVerdicts(anchors), null, 2)}\n`);
    // Loaded only now: these are made of the packs as they stand by then.
    const { forgedText } = await import("./forged-vectors.ts");
    writeFileSync(new URL("forged.json", VECTORS), forgedText());
  } finally {
    await workshop.close();
  }
}
