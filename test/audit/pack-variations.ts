/** Besides the tamper matrix: unusual but valid packs, and how far each is proven. */

import { log } from "../eventstore/tampering.ts";
import { consistencyLine, type EvidenceLine, keyOf } from "./pack-builder.ts";
import {
  anchors,
  type Change,
  evidenceIn,
  inNote,
  note,
  type Options,
  type PackTampering,
  type PartName,
  rewritten,
  rows,
  strip,
  tampered,
  withEvents,
} from "./pack-tampering.ts";
import { cutTo, headAt, OTHER, receiptOf } from "./pack-tampering-held.ts";
import { LOG, WITNESS } from "./vectors.ts";

const ALL = [...rows];

/** A valid pack, and the first verifier's completeness verdict. */
export type Variation = PackTampering & { reach: RegExp };

const variation = (
  part: PartName,
  name: string,
  reach: RegExp,
  change: Change,
  options: Options = {},
): Variation => ({
  ...tampered(part, name, {}, undefined, change, options),
  reach,
});

export const variations: Variation[] = [
  variation("whole", "as it is", /^anchored to 8, signed to 9$/, () => {}),
  variation("part", "as it is", /^begins at 7, .*; anchored to 8, signed to 9$/, () => {}),
  variation("stream", "as it is", /^anchored to 3, signed to 3$/, () => {}),
  variation(
    "whole",
    "no evidence",
    /^no earlier head was given.*unproven beyond 0$/,
    (pack) => void (pack.evidence = []),
    { held: { key: undefined } },
  ),
  variation(
    "whole",
    "everything rewritten, without evidence",
    /unproven beyond 0$/,
    (pack) => {
      pack.evidence = [];
      withEvents(
        pack,
        rewritten((own) => Object.assign(own[1]!, { payload: "{}" })),
      );
    },
    { held: { key: undefined } },
  ),
  variation(
    "whole",
    "cut behind an anchor, nothing held",
    /^anchored to 4, signed to 4, unproven beyond 4: without a head/,
    (pack) => {
      cutTo(4)(pack);
      withEvents(pack, log().slice(0, 7));
    },
  ),
  variation("whole", "an old checkpoint alone", /^signed to 4, unproven beyond 4: without a head/, (pack) => {
    strip(pack, "anchor");
    pack.evidence = pack.evidence.filter((line) => !("note" in line) || line.note.includes("\n4\n"));
  }),
  variation(
    "whole",
    "anchors alone",
    /^anchored to 8, unproven beyond 8: without a head/,
    (pack) => strip(pack, "key", "checkpoint"),
    { held: { key: undefined } },
  ),
  variation("whole", "checkpoints and anchors twice", /^anchored to 8, signed to 9$/, (pack) => {
    pack.evidence = pack.evidence.flatMap((line): EvidenceLine[] =>
      line.evidence === "key" ? [line] : [line, line],
    );
  }),
  variation(
    "whole",
    "the anchors the other way round",
    /^anchored to 8, signed to 9$/,
    (pack) => void pack.evidence.splice(-2, 2, ...anchors.toReversed()),
  ),
  variation("whole", "a beginning joined to what came later", /^anchored to 7, signed to 7$/, (pack) => {
    withEvents(pack, log().slice(0, 7));
    pack.evidence.push(consistencyLine(ALL, 7, 8), consistencyLine(ALL, 7, 9));
  }),
  variation("whole", "a beginning, joined step by step", /^anchored to 7, signed to 7$/, (pack) => {
    withEvents(pack, log().slice(0, 7));
    pack.evidence.push(consistencyLine(ALL, 8, 9), consistencyLine(ALL, 7, 8));
  }),
  variation(
    "whole",
    "a held checkpoint between those in the pack",
    /proven by the auditor's checkpoint up to 5$/,
    () => {},
    { held: { checkpoints: [note(5)] } },
  ),
  variation(
    "whole",
    "a held checkpoint beyond the end, joined",
    /proven by the auditor's checkpoint up to 7$/,
    (pack) => {
      cutTo(7)(pack);
      pack.evidence.push(consistencyLine(ALL, 7, 9));
    },
    { held: { checkpoints: [note(9)] } },
  ),
  variation("whole", "a held head and a receipt", /proven up to the held head 9$/, () => {}, {
    held: { heads: [headAt(9)], events: [receiptOf(9)] },
  }),
  variation("stream", "a receipt", /^anchored to 3, signed to 3$/, () => {}, {
    held: { events: [receiptOf(4)] },
  }),
  variation("stream", "a held checkpoint", /proven by the auditor's checkpoint up to 3$/, () => {}, {
    held: { checkpoints: [note(9)] },
  }),
  variation(
    "stream",
    "an event without its inclusion line",
    /^anchored to 2, signed to 2, unproven beyond 2: without a head/,
    (pack) => void delete pack.events[2]!.inclusion,
  ),
  variation("whole", "witnesses asked for", /^anchored to 8, signed to 9$/, () => {}, {
    held: { witnesses: [keyOf(WITNESS)] },
  }),
  variation(
    "whole",
    "a cosignature by another key of a witness's name",
    /^anchored to 8, signed to 9$/,
    (pack) => inNote(pack, () => note(4, { signers: [LOG, { ...WITNESS, signer: LOG.signer }] })),
    { held: { witnesses: [keyOf(WITNESS)] } },
  ),
  variation("whole", "no key line, the key given", /^anchored to 8, signed to 9$/, (pack) =>
    strip(pack, "key"),
  ),
  variation(
    "whole",
    "another key line, the key given",
    /^anchored to 8, signed to 9$/,
    (pack) => void (evidenceIn(pack, "key").key = keyOf(OTHER)),
  ),
  variation(
    "whole",
    "its local number and date changed",
    /^anchored to 8, signed to 9$/,
    (pack) =>
      void (pack.header = pack.header
        .replace('"log_id":1', '"log_id":2')
        .replace("2026-01-02", "2026-01-03")),
  ),
];
