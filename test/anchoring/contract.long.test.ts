/** The anchoring contract on a real chain: every small growth, large random ones, and forgeries of each. */
import fc from "fast-check";
import { decodeErrorResult } from "viem";
import { generatePrivateKey } from "viem/accounts";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { BaseChain } from "../../src/adapters/base-chain.ts";
import type { Call, CallResult, Hex } from "../../src/core/model/chain.ts";
import { MULTICALL3 } from "../../src/core/model/multicall.ts";
import { ANCHOR_ADDRESS, anchorCall, contractHead, headCall } from "../../src/domain/anchoring/contract.ts";
import { ABI } from "../../src/domain/anchoring/generated/log-anchor.ts";
import { openWorkshop, type Workshop } from "../chain/fixture.ts";
import { scaled } from "../support/scale.ts";
import {
  type Grow,
  type Growth,
  hashesOf,
  holds,
  largeGrowth,
  sha256,
  smallGrowth,
  smallRoot,
} from "./growth.ts";

let workshop: Workshop;
beforeAll(async () => {
  workshop = await openWorkshop();
});
afterAll(() => workshop.close());

const anchor = (log_id: Hex, size: bigint, root: Hex, proof: readonly Hex[] = []): Call =>
  anchorCall({ log_id, size, root }, proof).call;

/** The result of a call: "taken", or the contract's error and its arguments. */
function verdictOf({ success, data }: CallResult): string {
  if (success) return "taken";
  if (data === "0x") return "reverted";
  const { errorName, args } = decodeErrorResult({ abi: ABI, data });
  return [errorName, ...(args ?? [])].join(" ");
}

/** An anchor with its expected verdict; the contract stores only those taken. */
type Trial = { what: string; call: Call; verdict: string };

/** Runs stories, each on its own log, many per request; there the sender is Multicall3. */
async function tryAll(stories: readonly (readonly Trial[])[]): Promise<number> {
  const questions: Trial[][] = [[]];
  for (const story of stories) {
    if (questions.at(-1)!.length + story.length > 150) questions.push([]);
    questions.at(-1)!.push(...story);
  }
  for (const trials of questions) {
    const answers = await workshop.chain.read(trials.map(({ call }) => call));
    const found = trials.map(({ what }, i) => `${what}: ${verdictOf(answers[i]!)}`);
    expect(found).toEqual(trials.map(({ what, verdict }) => `${what}: ${verdict}`));
  }
  return questions.flat().length;
}

const flipped = (hash: Hex, bit: number): Hex =>
  `0x${(BigInt(hash) ^ (1n << BigInt(bit % 256))).toString(16).padStart(64, "0")}`;

const without = <T>(items: readonly T[], index: number): T[] => items.filter((_, i) => i !== index);

/** One growth, after every forgery of it that the contract must refuse. */
function storyOf(grow: Grow, first: bigint, second: bigint): Trial[] {
  const growth = grow(first, second);
  const rewritten = grow(first, second, "log, rewritten");
  expect([growth, rewritten].every(holds)).toBe(true);
  const { first_root, second_root, proof } = growth;
  const name = `${first} to ${second}`;
  const log_id = sha256(name);
  const kept = `NotLarger ${first} ${first_root}`;
  const bit = Number((first * 31n + second) % 256n);
  const trial = (what: string, verdict: string, changed: Partial<Growth>): Trial => {
    const { second: size, second_root: root, proof: nodes } = { ...growth, ...changed };
    return { what: `${name}, ${what}`, call: anchor(log_id, size, root, nodes), verdict };
  };
  const forged = (what: string, changed: Partial<Growth>) => trial(what, "Inconsistent", changed);
  // A root does not include its number of leaves: another size passes where its tree has the same shape.
  const resized = (size: bigint) =>
    trial(`said to be ${size}`, holds({ ...growth, second: size }) ? "taken" : "Inconsistent", {
      second: size,
    });
  const misnamed = [second - 1n, second + 1n, 2n * second].filter((size) => size > first && size < 2n ** 64n);
  return [
    trial("the first with a proof", "Inconsistent", {}),
    trial("the first", "taken", { second: first, second_root: first_root, proof: [] }),
    ...proof.map((hash, i) =>
      forged(`a bit of node ${i}`, { proof: proof.with(i, flipped(hash, bit + 7 * i)) }),
    ),
    ...proof.map((_, i) => forged(`without node ${i}`, { proof: without(proof, i) })),
    forged("no proof", { proof: [] }),
    forged("a node more at the end", { proof: [...proof, first_root] }),
    forged("a node more at the start", { proof: [first_root, ...proof] }),
    forged("a bit of the root", { second_root: flipped(second_root, bit) }),
    forged("of a history rewritten from its start", rewritten),
    forged("the old root", { second_root: first_root }),
    trial("the same size, another root", kept, { second: first }),
    trial("the same again", kept, { second: first, second_root: first_root, proof: [] }),
    trial("smaller", kept, { second: first - 1n, proof: [] }),
    trial("nothing", kept, { second: 0n, proof: [] }),
    ...misnamed.map(resized).filter(({ verdict }) => verdict === "Inconsistent"),
    trial("as it is", "taken", {}),
    trial("replayed", `NotLarger ${second} ${second_root}`, {}),
    trial("back to the first", `NotLarger ${second} ${second_root}`, {
      second: first,
      second_root: first_root,
      proof: [],
    }),
  ];
}

const LEAVES = Math.min(64, scaled(32, 20));

test(`the contract accepts every growth up to ${LEAVES} leaves, and none of its forgeries`, async () => {
  const stories = [];
  for (let n = 2n; n <= LEAVES; n++) for (let m = 1n; m < n; m++) stories.push(storyOf(smallGrowth, m, n));
  expect(stories).toHaveLength((LEAVES * (LEAVES - 1)) / 2);
  expect(await tryAll(stories)).toBeGreaterThan(LEAVES === 64 ? 40_000 : 15 * stories.length);
});

test("the contract accepts growths of trees of up to 2^64 - 1 leaves, and none of their forgeries", async () => {
  const near = fc
    .tuple(fc.integer({ min: 0, max: 63 }), fc.bigInt(-2n, 2n))
    .map(([power, more]) => 2n ** BigInt(power) + more);
  const size = fc
    .oneof(near, fc.bigInt(1n, 2n ** 24n), fc.bigInt(1n, 2n ** 64n - 1n))
    .filter((one) => one > 0n);
  const pair = fc.tuple(size, size).filter(([a, b]) => a < b);
  const pairs = fc.uniqueArray(pair, { minLength: 8, maxLength: 8, selector: ([a, b]) => `${a} ${b}` });
  await fc.assert(
    fc.asyncProperty(pairs, async (some) => {
      await tryAll(some.map(([a, b]) => storyOf(largeGrowth, a, b)));
    }),
    { numRuns: scaled(12, 10) },
  );
});

test("a root does not include its number of leaves: only a size of the same shape passes", async () => {
  const { first, first_root, second_root, proof } = smallGrowth(4n, 5n);
  const log_id = sha256("shapes");
  const first_one = { what: "4", call: anchor(log_id, first, first_root), verdict: "taken" };
  const said = (size: bigint, verdict: string) => [
    first_one,
    { what: `5 said to be ${size}`, call: anchor(log_id, size, second_root, proof), verdict },
  ];
  for (const size of [5n, 6n, 7n, 8n]) await tryAll([said(size, "taken")]);
  for (const size of [9n, 10n, 16n, 2n ** 63n]) await tryAll([said(size, "Inconsistent")]);
});

/** Anchors by a transaction of the chain's own key, and returns its gas; undefined if refused. */
async function send(chain: BaseChain, { log_id, size, root, proof }: Anchoring): Promise<number | undefined> {
  const { call, options } = anchorCall({ log_id, size, root }, proof);
  const { transaction, success } = await chain.send(call, options);
  const { gasUsed } = await workshop.rpc<{ gasUsed: Hex }>("eth_getTransactionReceipt", transaction);
  return success ? Number(gasUsed) : undefined;
}

type Anchoring = { log_id: Hex; size: bigint; root: Hex; proof: readonly Hex[] };

const start = (log_id: Hex, { first, first_root }: Growth): Anchoring => ({
  log_id,
  size: first,
  root: first_root,
  proof: [],
});

const growth = (log_id: Hex, { second, second_root, proof }: Growth): Anchoring => ({
  log_id,
  size: second,
  root: second_root,
  proof,
});

test("a signer's head belongs to that signer only", async () => {
  const { chain } = workshop;
  const other_key = generatePrivateKey();
  const other = workshop.connect({ gas_key: other_key });
  await workshop.rpc("anvil_setBalance", other.sender, "0xde0b6b3a7640000");
  const log_id = sha256("two signers");
  const step = smallGrowth(21n, 34n);
  expect(await send(chain, start(log_id, step))).toBeGreaterThan(0);
  expect(await send(other, growth(log_id, step))).toBeUndefined();
  expect(await send(other, { ...start(log_id, step), size: 8n, root: smallRoot(8n) })).toBeGreaterThan(0);
  expect(await send(other, growth(log_id, step))).toBeUndefined();
  expect(await send(chain, growth(log_id, step))).toBeGreaterThan(0);
  expect(await send(chain, growth(log_id, step))).toBeUndefined();
  expect(await send(other, growth(log_id, smallGrowth(8n, 34n)))).toBeGreaterThan(0);

  const signers = [chain.sender, other.sender, MULTICALL3.toLowerCase() as Hex];
  const heads = (await chain.read(signers.map((signer) => headCall(signer, log_id)))).map(contractHead);
  expect(heads.map((head) => head?.size)).toEqual([34n, 34n, undefined]);
  expect(heads.map((head) => head?.root)).toEqual([smallRoot(34n), smallRoot(34n), undefined]);
  other.close();
});

test("no amount of gas makes the contract accept a forged proof", async () => {
  const step = largeGrowth(2n ** 12n - 1n, 2n ** 13n - 3n);
  const log_id = sha256("little gas");
  await send(workshop.chain, start(log_id, step));
  const forged = flipped(step.second_root, 3);
  const from = workshop.chain.sender;
  const passes = async (root: Hex, gas: number): Promise<boolean> => {
    const { to, data } = anchor(log_id, step.second, root, step.proof);
    const call = { from, to, data, gas: `0x${gas.toString(16)}` };
    return workshop.rpc("eth_call", call, "latest").then(
      () => true,
      () => false,
    );
  };
  const amounts = Array.from({ length: 300 }, (_, i) => 30_000 + 131 * i);
  const honest = await Promise.all(amounts.map((gas) => passes(step.second_root, gas)));
  const dishonest = await Promise.all(amounts.map((gas) => passes(forged, gas)));
  expect([honest[0], honest.at(-1)]).toEqual([false, true]);
  expect(honest).toEqual(honest.toSorted());
  expect(dishonest).not.toContain(true);
});

test("malformed calls are refused: sizes beyond 64 bits, cut or overlong data, ether", async () => {
  const log_id = sha256("odd calls");
  const { to, data } = anchor(log_id, 5n, smallRoot(5n));
  const from = workshop.chain.sender;
  const isTaken = (call: Partial<{ data: Hex; value: Hex }>): Promise<boolean> =>
    workshop.rpc("eth_call", { from, to, data, ...call }, "latest").then(
      () => true,
      () => false,
    );
  /** The argument word of this index, replaced. */
  const withWord = (index: number, word: bigint): Hex => {
    const at = 10 + 64 * index;
    return `${data.slice(0, at)}${word.toString(16).padStart(64, "0")}${data.slice(at + 64)}` as Hex;
  };
  expect(await isTaken({})).toBe(true);
  expect(await isTaken({ data: withWord(1, 2n ** 64n + 5n) })).toBe(false);
  expect(await isTaken({ data: withWord(4, 1n) })).toBe(false);
  expect(await isTaken({ data: withWord(4, 2n ** 255n) })).toBe(false);
  expect(await isTaken({ data: withWord(3, 2n ** 64n) })).toBe(false);
  expect(await isTaken({ data: data.slice(0, -64) as Hex })).toBe(false);
  expect(await isTaken({ data: "0x" })).toBe(false);
  expect(await isTaken({ data: "0xdeadbeef" })).toBe(false);
  expect(await isTaken({ value: "0x1" })).toBe(false);
  expect(await isTaken({ data: "0x", value: "0x1" })).toBe(false);
  expect(await workshop.rpc("eth_getBalance", ANCHOR_ADDRESS, "latest")).toBe("0x0");
});

test("an anchor at a million leaves costs at most 65,000 gas", async () => {
  const million = 1_000_000n;
  const rows: [what: string, growth: Growth, most: number][] = [
    ["1,000,000 → 1,001,000", largeGrowth(million, million + 1_000n), 65_000],
    ["999,000 → 1,000,000", largeGrowth(million - 1_000n, million), 65_000],
    ["999,999 → 1,000,000", largeGrowth(million - 1n, million), 65_000],
    // Of all growths to a million or 2^20 leaves, these need the most nodes and hashes.
    ["524,287 → 1,000,000", largeGrowth(2n ** 19n - 1n, million), 65_000],
    ["1,048,575 → 1,048,576", largeGrowth(2n ** 20n - 1n, 2n ** 20n), 65_000],
    ["2^63 - 1 → 2^63", largeGrowth(2n ** 63n - 1n, 2n ** 63n), 130_000],
  ];
  console.log("| anchor | nodes | hashes | gas |\n|---|---|---|---|");
  const row = (...cells: (string | number)[]) => console.log(`| ${cells.join(" | ")} |`);
  for (const [what, step, most] of rows) {
    const log_id = sha256(what);
    const first = await send(workshop.chain, start(log_id, step));
    if (what === rows[0]![0]) row("the first of a log", 0, 0, first!);
    const gas = await send(workshop.chain, growth(log_id, step));
    row(what, step.proof.length, hashesOf(step), gas!);
    expect.soft(gas).toBeLessThanOrEqual(most);
  }
});
