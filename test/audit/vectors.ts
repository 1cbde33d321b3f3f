/** The packs of docs/vectors and their construction; record-vectors.ts records them anew. */
import { readFileSync } from "node:fs";
import { signerOf } from "../anchoring/signers.ts";
import { log, ORIGIN } from "../eventstore/tampering.ts";
import { type AnchorLine, keyOf, type NoteSigner, type PackPlan, packOf, textOf } from "./pack-builder.ts";

export const VECTORS = new URL("../../docs/vectors/", import.meta.url);

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

/** The verifiers' reports on the packs: nothing fails, and how far each is proven. */
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
