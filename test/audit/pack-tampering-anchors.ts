/** The tamper matrix, the part about anchors: each of their members, and what the chain says of them. */
import {
  fromRlp,
  type Hex,
  keccak256,
  parseTransaction,
  serializeTransaction,
  type TransactionSerializableEIP1559,
  toHex,
  toRlp,
} from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { anchorCall, logIdOf } from "../../src/domain/anchoring/contract.ts";
import { log, ORIGIN } from "../eventstore/tampering.ts";
import { madeUpAnchor } from "./made-up-state.ts";
import type { AnchorLine, Pack } from "./pack-builder.ts";
import {
  A_HASH,
  anchors,
  type Change,
  evidenceIn,
  flipped,
  type Options,
  type PackTampering,
  type PartName,
  strip,
  tampered,
  tree,
  withEvents,
} from "./pack-tampering.ts";
import type { World } from "./scripted-chain.ts";

const [four, eight] = anchors as [AnchorLine, AnchorLine];
const STRANGER = privateKeyToAccount(keccak256(toHex("a stranger")));
const ANOTHER: Hex = `0x${"11".repeat(20)}`;

/** The anchor of 4 events with other members. */
const changed = (
  name: string,
  members: Partial<AnchorLine>,
  says: RegExp,
  {
    part = "whole",
    fails = { anchor: members.size ?? 4 },
    ...options
  }: Options & { part?: PartName; fails?: Record<string, number> } = {},
) =>
  tampered(
    part,
    `an anchor: ${name}`,
    fails,
    says,
    (pack) => void Object.assign(evidenceIn(pack, "anchor"), members),
    options,
  );

/** Its transaction with other fields, under the signature of before, or signed anew. */
type Fields = Partial<TransactionSerializableEIP1559>;
const original = parseTransaction(four.transaction as `0x02${string}`) as TransactionSerializableEIP1559;
const { r, s, yParity, v: _, ...unsigned } = original;
const respelt = (fields: Fields): Hex =>
  serializeTransaction({ ...unsigned, ...fields }, { r: r!, s: s!, yParity: yParity! });
const resigned = async (fields: Fields): Promise<Hex> => STRANGER.signTransaction({ ...unsigned, ...fields });

const calling = (head: { size?: bigint; root?: Hex; origin?: string }) =>
  anchorCall(
    {
      log_id: logIdOf(head.origin ?? ORIGIN),
      size: head.size ?? 4n,
      root: head.root ?? `0x${tree.root(4).toString("hex")}`,
    },
    [],
  ).call.data;

const transactions: PackTampering[] = [
  changed("the transaction of another anchor", { transaction: eight.transaction }, /does not anchor 4/),
  changed("a transaction for another chain", { transaction: respelt({ chainId: 1 }) }, /is for chain 1/),
  changed("a transaction to another contract", { transaction: respelt({ to: ANOTHER }) }, /goes to 0x1111/),
  changed("a transaction that makes a contract", { transaction: respelt({ to: null }) }, /goes to undefined/),
  ...(
    [
      ["of another size", { size: 5n }],
      ["of another root", { root: `0x${A_HASH}` }],
      ["of another log", { origin: "x/y/z" }],
    ] as const
  ).map(([name, head]) =>
    changed(`a call ${name}`, { transaction: respelt({ data: calling(head) }) }, /does not anchor 4/),
  ),
  changed(
    "more behind the call",
    { transaction: respelt({ data: `${unsigned.data!}00` }) },
    /does not anchor 4/,
  ),
  changed(
    "a call cut short",
    { transaction: respelt({ data: unsigned.data!.slice(0, -64) as Hex }) },
    /does not anchor/,
  ),
  changed(
    "another function",
    { transaction: respelt({ data: `0x00000000${unsigned.data!.slice(10)}` }) },
    /does not anchor 4/,
  ),
  changed("no call", { transaction: respelt({ data: "0x" }) }, /does not anchor 4/),
  changed("a byte behind the transaction", { transaction: `${four.transaction}00` }, /not an EIP-1559/),
  changed(
    "an older kind of transaction",
    { transaction: `0x01${four.transaction.slice(4)}` },
    /not an EIP-1559/,
  ),
  changed("no transaction", { transaction: "0x" }, /not an EIP-1559/),
  changed("garbage for a transaction", { transaction: "0x02c0" }, /not an EIP-1559/),
  changed("the transaction signed by a stranger", { transaction: await resigned({}) }, /is signed by/),
  changed("another nonce under the signature", { transaction: respelt({ nonce: 99 }) }, /is signed by/),
  changed(
    "another signature",
    { transaction: serializeTransaction(unsigned, { r: flippedWord(r!), s: s!, yParity: yParity! }) },
    /is signed by/,
  ),
];

function flippedWord(word: Hex): Hex {
  return `0x${word.slice(2, 4)}${flipped(word.slice(4))}`;
}

const members = (["whole", "part", "stream"] as const).flatMap((part): PackTampering[] => [
  changed("another size", { size: 5 }, /does not anchor 5|keeps 4 events/, {
    part,
    fails: { anchor: 5, tree: 5 },
  }),
  changed("another root", { root: A_HASH }, /does not anchor 4/, { part, fails: { anchor: 4, tree: 4 } }),
  changed("another network", { network: "eip155:1" }, /is for chain 8453/, { part }),
  changed("another contract", { contract: ANOTHER }, /goes to/, { part }),
  changed("another signer", { signer: ANOTHER }, /is signed by|has nothing/, { part }),
  changed("the header of another anchor", { header: eight.header }, /does not show|not the /, { part }),
  changed("no header", { header: "0x" }, /header/, { part }),
  changed("a header of nothing", { header: "0xc0" }, /header/, { part }),
  changed(
    "a header whose length is spelt longer",
    { header: `0xfa00${four.header.slice(4)}` },
    /is not canonical RLP/,
    { part },
  ),
  changed("a byte behind the header", { header: `${four.header}00` }, /header is not RLP/, { part }),
  changed("everything but its size and root", { ...eight, size: 4, root: four.root }, /does not anchor 4/, {
    part,
  }),
]);

const PROOFS = ["account_proof", "root_proof", "numbers_proof"] as const;
const otherNibble = (node: Hex, at: number): Hex => `${node.slice(0, at)}${flipped(node.slice(at))}` as Hex;

const proofs: PackTampering[] = PROOFS.flatMap((name) => {
  const nodes = four[name];
  const other = PROOFS.find((one) => one !== name)!;
  return [
    ...nodes.map((node, n) =>
      changed(
        `another byte in node ${n} of its ${name}`,
        { [name]: nodes.with(n, otherNibble(node, Math.floor(node.length / 2))) },
        /does not show/,
      ),
    ),
    changed(`a node more in its ${name}`, { [name]: [...nodes, nodes.at(-1)!] }, /continues after its end/),
    changed(`an empty list more in its ${name}`, { [name]: [...nodes, "0xc0"] }, /continues after its end/),
    changed(`its ${name} without the last node`, { [name]: nodes.slice(0, -1) }, /ends too early/),
    changed(`its ${name} without the first node`, { [name]: nodes.slice(1) }, /does not show/),
    changed(`no ${name}`, { [name]: [] }, /ends too early/),
    changed(`its ${name} from another block`, { [name]: eight[name] }, /does not show/),
    changed(`its ${name} of the other kind`, { [name]: four[other] }, /does not show/),
  ];
});

/** Another state root; the other items of a header only the chain knows. */
const items = fromRlp(four.header, "hex") as Hex[];
const headerWith = (n: number): Hex => {
  const item = items[n]!;
  const last = item.length > 2 ? flipped(item.slice(-1)) : "01";
  return toRlp(items.with(n, item.length > 2 ? (`${item.slice(0, -1)}${last}` as Hex) : "0x01"));
};
const numberIn = (header: Hex) => Number((fromRlp(header, "hex") as Hex[])[8]);
const ANCHORED_AT = Number(items[11]);
const SOON = Date.parse("2027-01-01T00:00:00Z") / 1_000;
const BEFORE_EXPORT = Date.parse("2026-01-01T00:00:00Z") / 1_000;
export const headOf = (
  size: number,
  timestamp = SOON,
  root: string = tree.root(Math.min(size, 9)).toString("hex"),
) => ({
  size,
  root: `0x${root}` as Hex,
  timestamp,
});

/** The chain that the anchors are of. */
export const trueWorld: World = {
  chain_id: 8453,
  blocks: Object.fromEntries(anchors.map(({ header }) => [numberIn(header), keccak256(header)])),
  finalized: 1_000_000,
  heads: { [four.signer]: headOf(8) },
  successors: {},
  anchored: [{ signer: four.signer, block: 17 }],
};

export const chainTampering = (
  name: string,
  fails: Record<string, number>,
  says: RegExp,
  world: Partial<World>,
  { change = () => {}, held, ...options }: Options & { change?: Change } = {},
) =>
  tampered("whole", `the chain asked: ${name}`, fails, says, change, {
    second: { fails: {}, because: "it asks no chain" },
    ...options,
    held: { world: { ...trueWorld, ...world }, ...held },
  });

const OWN_CONTRACT = await strangersAnchor({ contract: ANOTHER });

/** A true anchor but for its account, of four events with any root, in any contract. */
export async function strangersAnchor({
  contract = four.contract,
  root = tree.root(4).toString("hex"),
}): Promise<AnchorLine> {
  const signer = STRANGER.address.toLowerCase() as Hex;
  const head = { size: 4, root, origin: ORIGIN, at: ANCHORED_AT };
  return {
    ...four,
    ...madeUpAnchor(head, { ...four, signer, contract, items }),
    transaction: await resigned({ to: contract, data: calling({ root: `0x${root}` }) }),
  };
}

/** Seven events, without whatever would tell of more. */
const cutAtSeven = (pack: Pack): void => {
  withEvents(pack, log().slice(0, 7));
  pack.evidence = pack.evidence.filter(
    (line) => !("size" in line && line.size > 7) && !("note" in line && line.note.includes("\n9\n")),
  );
};

const OLD: Hex = `0x${"22".repeat(20)}`;
const NO_SUCCESSION = "it follows no succession: it is told the newest signer";

const chains: PackTampering[] = [
  changed("another state root in its header", { header: headerWith(3) }, /does not show/),
  ...items
    .map((_item, n) => n)
    .filter((n) => n !== 3)
    .map((n) =>
      chainTampering(
        `another item ${n} in the header`,
        { anchor: 4 },
        /of the chain is/,
        {},
        {
          change: (pack) => void (evidenceIn(pack, "anchor").header = headerWith(n)),
        },
      ),
    ),
  chainTampering("another chain", { anchor: 4 }, /serves chain 1/, { chain_id: 1 }),
  chainTampering("another block", { anchor: 4 }, /of the chain is/, {
    blocks: { ...trueWorld.blocks, [numberIn(four.header)]: `0x${A_HASH}` },
  }),
  chainTampering("a block that is gone", { anchor: 8 }, /not there/, {
    blocks: { [numberIn(four.header)]: keccak256(four.header) },
  }),
  chainTampering(
    "the end cut before the head it keeps",
    { completeness: 8 },
    /the chain keeps 8 events/,
    {
      heads: { [four.signer]: headOf(8, BEFORE_EXPORT) },
    },
    { change: cutAtSeven },
  ),
  chainTampering("a fork of the head it keeps", { tree: 8 }, /two roots|root of these/, {
    heads: { [four.signer]: headOf(8, BEFORE_EXPORT, A_HASH) },
  }),
  chainTampering(
    "an account that anchored the log before this one",
    { anchor: 4 },
    /contested: 0x2222.* anchored this log first, in block 3, and did not endorse 0xc315.*--signer/,
    {
      anchored: [
        { signer: four.signer, block: 17 },
        { signer: OLD, block: 3 },
      ],
    },
  ),
  chainTampering("nobody who anchored the log", { anchor: 4 }, /shows no anchor of this log/, {
    anchored: [],
  }),
  chainTampering(
    "a contract that only the pack names",
    { anchor: 4 },
    /the contract 0x1111.*, which may be anybody's.*--contract/,
    {
      blocks: { 17: keccak256(OWN_CONTRACT.header) },
      heads: {},
      anchored: [{ signer: OWN_CONTRACT.signer, block: 17 }],
    },
    {
      change: (pack) => {
        strip(pack, "anchor");
        pack.evidence.push(OWN_CONTRACT);
        pack.evidence.sort(
          (a, b) => Number(a.evidence === "consistency") - Number(b.evidence === "consistency"),
        );
      },
    },
  ),
  chainTampering(
    "no anchor, though a signer is known",
    { anchor: 0 },
    /no anchor/,
    {},
    {
      held: { signer: four.signer },
      change: (pack) => strip(pack, "anchor"),
      second: undefined,
    },
  ),
  chainTampering(
    "a signer that the known one did not endorse",
    { anchor: 4 },
    /did not endorse/,
    {},
    { held: { signer: OLD }, second: undefined },
  ),
  chainTampering(
    "a later head of the signer's successor",
    { completeness: 10 },
    /the chain keeps 12 events/,
    {
      successors: { [four.signer]: OLD },
      heads: { [four.signer]: headOf(8), [OLD]: headOf(12, BEFORE_EXPORT, A_HASH) },
    },
    { held: { signer: four.signer }, second: { fails: {}, because: NO_SUCCESSION } },
  ),
];

const named: PackTampering[] = [
  changed("on another network than the known one", {}, /is on eip155/, { held: { network: "eip155:1" } }),
  changed("in another contract than the known one", {}, /is in the contract/, {
    held: { contract: ANOTHER },
  }),
  changed("by another signer than the known one", {}, /is signed by/, { held: { signer: ANOTHER } }),
  ...([{ network: four.network }, { contract: four.contract }, { signer: four.signer }] as const).map(
    (held) =>
      tampered(
        "whole",
        `no anchor, though a ${Object.keys(held)[0]} is known`,
        { anchor: 0 },
        /no anchor/,
        (pack) => strip(pack, "anchor"),
        { held },
      ),
  ),
];

export const anchorCases: PackTampering[] = [...members, ...transactions, ...proofs, ...chains, ...named];

/** True packs beside a chain that moved on, and signers that gave way to others. */
export const chainVariations: PackTampering[] = [
  chainTampering("the first account endorsed this one", {}, /(?:)/, {
    anchored: [{ signer: OLD, block: 3 }],
    successors: { [OLD]: four.signer },
  }),
  chainTampering(
    "another account was first, and the auditor names this one",
    {},
    /(?:)/,
    { anchored: [{ signer: OLD, block: 3 }] },
    { held: { signer: four.signer } },
  ),
  chainTampering("all as it was", {}, /(?:)/, {}),
  chainTampering("a head younger than the export", {}, /(?:)/, {
    heads: { [four.signer]: headOf(12, SOON, A_HASH) },
  }),
  chainTampering("the end of before a younger head", {}, /(?:)/, {}, { change: cutAtSeven }),
  chainTampering(
    "a signer that the known one endorsed",
    {},
    /(?:)/,
    { successors: { [OLD]: four.signer } },
    {
      held: { signer: OLD },
      second: { fails: { anchor: 4 }, because: NO_SUCCESSION },
    },
  ),
  chainTampering(
    "a contract that the known one endorsed",
    {},
    /(?:)/,
    { successors: { [four.signer]: four.contract } },
    {
      held: { contract: OLD },
      second: { fails: { anchor: 4 }, because: NO_SUCCESSION },
    },
  ),
];
