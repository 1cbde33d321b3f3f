/** The tamper matrix on time: the chain's times of the blocks that events name, and of those that anchor them. */
import { keccak256 } from "viem";
import { type LogRow, rehash } from "../eventstore/log-builder.ts";
import { log, ORIGIN } from "../eventstore/tampering.ts";
import { treeOf } from "./pack-builder.ts";
import { type PackTampering, tampered } from "./pack-tampering.ts";
import { chainTampering, headOf, strangersAnchor, trueWorld } from "./pack-tampering-anchors.ts";
import type { World } from "./scripted-chain.ts";

const DATED = Date.parse("2026-01-01T00:00:00Z") / 1_000;

/** Event 3 names block 7, and event 4 block 9, which does not exist. */
const naming: LogRow[] = log().slice(0, 4);
naming[2]!.payload = '{"block_number":7}';
naming[3]!.payload = '{"caller":{"block_number":8},"network":"eip155:8453","seen_block":9}';
rehash(ORIGIN, naming);
const anchor = await strangersAnchor({ root: treeOf(naming).root(4).toString("hex") });

/** The log that names blocks, with a chain that has these times for them. */
const named = (name: string, fails: Record<string, number>, says: RegExp, world: Partial<World>) =>
  tampered("whole", `blocks that events name: ${name}`, fails, says, () => {}, {
    plan: { rows: naming, checkpoints: [4], anchors: [anchor] },
    held: {
      world: {
        ...trueWorld,
        blocks: { 7: `0x${"77".repeat(32)}`, 8: `0x${"88".repeat(32)}`, 17: keccak256(anchor.header) },
        heads: {},
        anchored: [{ signer: anchor.signer, block: 17 }],
        ...world,
      },
    },
    second: { fails: {}, because: "it asks no chain" },
  });

export const timeCases: PackTampering[] = [
  chainTampering(
    "events that are dated after the block that anchors them",
    { anchor: 1 },
    /dated 2026-01-01T00:00:00.*, after the block of 2025-12-31T23:57:59.000Z that anchors 8 events/,
    { heads: { [anchorSigner()]: headOf(8, DATED - 121) } },
  ),
  named("one is older than its block", { anchor: 3 }, /names block 7 of 2026-01-01T00:02:01.000Z/, {
    times: { 7: DATED + 121 },
    newest: { number: 8, time: DATED + 121 },
  }),
  named("one names a block that is not there yet", { anchor: 4 }, /names block 9 of 2026-01-01T00:10/, {
    times: { 7: DATED },
    newest: { number: 8, time: DATED + 600 },
  }),
];

export const timeVariations: PackTampering[] = [
  chainTampering("clocks that differ by two minutes", {}, /(?:)/, {
    heads: { [anchorSigner()]: headOf(8, DATED - 119) },
  }),
  named("as old as its block, within two minutes", {}, /(?:)/, {
    times: { 7: DATED + 120, 8: DATED + 10_000 },
    newest: { number: 8, time: DATED + 60 },
  }),
];

function anchorSigner() {
  return Object.keys(trueWorld.heads)[0] as `0x${string}`;
}
