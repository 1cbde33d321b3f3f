/** One score is shown by a path to the root that the log's event has. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { LINES_A_LEAF, rootOfProof, ScoreTree } from "../../src/domain/trust/score-tree.ts";
import { scaled } from "../support/scale.ts";

const scores = fc
  .uniqueArray(fc.nat(5_000), { minLength: 1, maxLength: 9 * LINES_A_LEAF })
  .map((numbers) => numbers.sort((a, b) => a - b).map((sx) => ({ sx, score: (sx * 7_919) % 1_000 })));

test("each agent's path leads to the root, and no path leads there with another line, place or hash", () => {
  fc.assert(
    fc.property(scores, fc.nat(5_100), (all, sx) => {
      const tree = new ScoreTree(all);
      const proof = tree.proofOf(sx);
      if (!proof) return expect(all.every(({ score }) => score === 0)).toBe(true);
      expect(rootOfProof(proof)).toBe(tree.root);
      const score = all.find((one) => one.sx === sx)?.score ?? 0;
      expect(proof.lines.includes(`${sx} ${score}\n`)).toBe(score > 0);
      const { lines, path, index, size } = proof;
      const others = [
        { ...proof, lines: `${lines}9999 1\n` },
        { ...proof, path: [...path, "00".repeat(32)] },
        ...(path.length > 0 ? [{ ...proof, path: path.slice(1) }] : []),
        ...(path.length > 0 ? [{ ...proof, index: index ^ 1 }] : []),
        { ...proof, size: size * 4 },
      ];
      for (const other of others) expect(rootOfProof(other)).not.toBe(tree.root);
    }),
    { numRuns: scaled(100, 20) },
  );
});

test("a result without a score has the empty tree's root and no proof", () => {
  const tree = new ScoreTree([{ sx: 3, score: 0 }]);
  expect(tree.root).toBe("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  expect(tree.proofOf(3)).toBeUndefined();
});
