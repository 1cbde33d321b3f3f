/** Converts a segment's path to a checkpoint into the evidence lines of an export of those events. */
import { z } from "zod";
import { sha256 } from "../core/model/fields.ts";
import { refuse } from "../core/model/refusal.ts";
import type { Evidence } from "./evidence.ts";
import { subtreeSpans } from "./proofs.ts";
import { nodeHash } from "./tree.ts";

const place = z.int().positive().max(Number.MAX_SAFE_INTEGER);

/** The fields in use of GET /log/segments/{from}/proof; nothing is trusted before it is verified. */
const answered = z.object({
  key: z.string(),
  from: place,
  to: place,
  subtree_root: sha256,
  size: place,
  proof: z.array(sha256).max(65),
  checkpoint: z.string().nullable(),
});

/** Refuses a text that is no such answer. False claims make the evidence invalid. */
export function evidenceOfPath(text: string): Evidence[] {
  const { key, from, to, subtree_root, size, proof, checkpoint } = read(text);
  const spans = spansOf({ begin: from - 1, end: to }, size);
  if (spans.length !== proof.length)
    refuse(
      "invalid",
      `--proof: the path to a tree of ${size} events has ${spans.length} hashes, not ${proof.length}`,
    );
  const isLeft = spans.map(({ begin }) => begin < from);
  // The subtrees to the left of the segment cover exactly the earlier events.
  const before = proof.filter((_, n) => isLeft[n]).reverse();
  const climbed = isLeft.indexOf(false) < 0 ? proof.length : isLeft.indexOf(false);
  const [begin, node] = climb({ begin: from - 1, node: subtree_root }, spans.slice(0, climbed), proof);
  const rest = proof.slice(climbed);
  return [
    { evidence: "key", key },
    ...(from > 1 ? [{ evidence: "frontier", size: from - 1, hashes: before } as const] : []),
    ...(checkpoint === null ? [] : [{ evidence: "checkpoint", note: checkpoint } as const]),
    ...(to < size
      ? [
          {
            evidence: "consistency",
            first: to,
            second: size,
            proof: begin === 0 ? rest : [node, ...rest],
          } as const,
        ]
      : []),
  ];
}

function read(text: string): z.infer<typeof answered> {
  try {
    return answered.parse(JSON.parse(text));
  } catch {
    return refuse("invalid", "--proof is not what GET /log/segments/{from}/proof answers");
  }
}

function spansOf(span: { begin: number; end: number }, size: number) {
  try {
    return subtreeSpans(span, size);
  } catch (error) {
    return refuse("invalid", `--proof: ${(error as Error).message}`);
  }
}

/** The largest node that ends where the segment ends: climbs while the sibling is on the left. */
function climb(
  { begin, node }: { begin: number; node: string },
  spans: readonly { begin: number }[],
  proof: readonly string[],
): [number, string] {
  return spans.reduce<[number, string]>(
    ([, found], span, n) => [
      span.begin,
      nodeHash(Buffer.from(proof[n]!, "hex"), Buffer.from(found, "hex")).toString("hex"),
    ],
    [begin, node],
  );
}
