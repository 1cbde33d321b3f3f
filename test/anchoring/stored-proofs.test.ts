/** Proofs of an anchor in exports: collected while the chain still shows it, and verifiable without trust. */
import { beforeEach, expect, onTestFinished, test } from "vitest";
import type { AnchorMemory } from "../../src/anchoring/anchor-signed.ts";
import { readEvidence } from "../../src/anchoring/evidence.ts";
import { proofsOfAnchors } from "../../src/anchoring/stored-proofs.ts";
import type { App } from "../../src/core/app.ts";
import type { Hex } from "../../src/core/model/chain.ts";
import { ChainUnavailable } from "../../src/core/model/ports/chain.ts";
import { headInSlots, headSlots, logIdOf } from "../../src/domain/anchoring/contract.ts";
import {
  readHeader,
  StateProofError,
  storageRoot,
  storedWord,
} from "../../src/domain/anchoring/state-proof.ts";
import { type AnchoringSetup, openAnchoringSetup } from "./anchoring-setup.ts";

let setup: AnchoringSetup;
let app: App;
beforeEach(async () => {
  setup = await openAnchoringSetup();
  app = setup.app;
  onTestFinished(() => setup.close());
});

const rows = async () =>
  (await app.pool.query<{ n: number }>("select count(*)::int8 as n from anchoring.proofs_v1")).rows[0]!.n;

test("an anchor's proof proves the head in a block's state, and no changed byte of it does", async () => {
  await setup.happen();
  await setup.turn();
  const { anchors: standing } = await setup.state();
  const [line] = await proofsOfAnchors(app.pool, { anchors: standing });
  expect(readEvidence(JSON.stringify(line))).toEqual(line);

  const slots = headSlots(app.chain.sender, logIdOf(await setup.origin()));
  const { state_root, hash, number } = readHeader(line!.header);
  expect(await app.chain.block(number)).toMatchObject({ hash });
  const head = (state: Hex, account: readonly Hex[], root: readonly Hex[], numbers: readonly Hex[]) => {
    const storage = storageRoot(state, line!.contract, account);
    return headInSlots(storedWord(storage, slots[0], root), storedWord(storage, slots[1], numbers));
  };
  const { account_proof, root_proof, numbers_proof } = line!;
  expect(head(state_root, account_proof, root_proof, numbers_proof)).toMatchObject({
    size: BigInt(standing[0]!.size),
    root: standing[0]!.root,
    block_number: BigInt(standing[0]!.block_number),
  });

  const bent = (nodes: readonly Hex[], at: number): Hex[] => {
    const node = nodes[at]!;
    const place = 2 + Math.floor((node.length - 2) / 2);
    const digit = node[place] === "0" ? "1" : "0";
    return nodes.with(at, `${node.slice(0, place)}${digit}${node.slice(place + 1)}` as Hex) as Hex[];
  };
  for (const at of account_proof.keys())
    expect(() => head(state_root, bent(account_proof, at), root_proof, numbers_proof)).toThrow(
      StateProofError,
    );
  for (const at of root_proof.keys())
    expect(() => head(state_root, account_proof, bent(root_proof, at), numbers_proof)).toThrow(
      StateProofError,
    );
  const short = account_proof.slice(0, -1);
  expect(() => head(state_root, short, root_proof, numbers_proof)).toThrow(/ends too early/);
  const long = [...root_proof, root_proof[0]!];
  expect(() => head(state_root, account_proof, long, numbers_proof)).toThrow(/continues after its end/);
  expect(() => head(state_root, account_proof, numbers_proof, root_proof)).toThrow(StateProofError);
});

test("a proof is collected once, and again when its block left the chain", async () => {
  await setup.happen();
  const memory: AnchorMemory = {};
  await setup.turn({ memory });
  await setup.turn({ memory });
  expect(await rows()).toBe(1);
  const [anchor] = (await setup.state()).anchors;
  // Another block at the proof's height, though the anchor's own is unchanged.
  await app.pool.query(
    "insert into anchoring.proofs_v1 select log_id, size, transaction, block_number + 1,'0x00', '{}' from anchoring.proofs_v1",
  );
  await setup.mine(3);
  await setup.turn({ memory });
  expect(await rows()).toBe(3);
  const [line] = await proofsOfAnchors(app.pool, { anchors: [{ ...anchor!, final: false }] });
  expect(line).toMatchObject({ evidence: "anchor", size: anchor!.size });
  await setup.mine(3);
  await setup.turn({ memory });
  expect(memory.proven).toBe(anchor!.transaction);
});

test("a node without proofs is reported, and the log is anchored nevertheless", async () => {
  await setup.happen();
  const away = () => Promise.reject(new ChainUnavailable("eth_getProof: not supported"));
  expect(await setup.turn({}, setup.over({ stateProof: away }))).toMatchObject({
    status: "unproven",
    reason: expect.stringContaining("eth_getProof"),
  });
  expect((await setup.state()).anchors).toHaveLength(1);
  expect(await rows()).toBe(0);
  expect(await setup.turn()).toEqual({ status: "done" });
  expect(await rows()).toBe(1);
});
