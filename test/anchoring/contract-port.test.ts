/** The anchoring contract through the Chain port: its address, its state and logs, and later lookups. */
import {
  decodeErrorResult,
  getContractAddress,
  keccak256,
  parseTransaction,
  recoverTransactionAddress,
  type TransactionSerializedLegacy,
} from "viem";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type BaseChain, baseChain } from "../../src/adapters/base-chain.ts";
import { placeContracts } from "../../src/adapters/chain-contracts.ts";
import { EMBEDDED_CHAIN_ID } from "../../src/adapters/embedded-chain.ts";
import type { Hex, Receipt } from "../../src/core/model/chain.ts";
import { DEPLOYMENT_PROXY } from "../../src/core/model/deployment.ts";
import { MULTICALL3 } from "../../src/core/model/multicall.ts";
import * as contract from "../../src/domain/anchoring/contract.ts";
import { ABI, INIT_CODE } from "../../src/domain/anchoring/generated/log-anchor.ts";
import { openWorkshop, type Workshop } from "../chain/fixture.ts";
import { GAS_KEY } from "../support/wallets.ts";
import { sha256, smallGrowth, smallRoot } from "./growth.ts";

const { ANCHOR_ADDRESS } = contract;

let workshop: Workshop;
let chain: BaseChain;
beforeAll(async () => {
  workshop = await openWorkshop({ own: true });
  chain = workshop.chain;
});
afterAll(() => workshop.close());

const send = ({ call, options }: contract.SignersCall, by = chain): Promise<Receipt> =>
  by.send(call, options);

const gasOf = async ({ transaction }: Receipt): Promise<number> => {
  const { gasUsed } = await workshop.rpc<{ gasUsed: Hex }>("eth_getTransactionReceipt", transaction);
  return Number(gasUsed);
};

const codeAt = (address: Hex) => workshop.rpc<Hex>("eth_getCode", address, "latest");

/** The number of transactions mined above a block; blocks are also mined without any. */
async function transactionsSince(block: bigint): Promise<number> {
  const { latest } = await chain.heads();
  let count = 0;
  for (let number = block + 1n; number <= latest.number; number++)
    count += Number(
      await workshop.rpc<Hex>("eth_getBlockTransactionCountByNumber", `0x${number.toString(16)}`),
    );
  return count;
}

const soFar = async () => ({ from_block: 0n, to_block: (await chain.heads()).latest.number });

/** Another signer, with ether for gas. */
async function another(): Promise<BaseChain> {
  const other = workshop.connect({ gas_key: generatePrivateKey() });
  await workshop.rpc("anvil_setBalance", other.sender, "0xde0b6b3a7640000");
  return other;
}

/**
 * The transaction that deploys the proxy on any chain; its signature was made up, so nobody has the key. Source:
 * the proxy's project.
 */
const KEYLESS =
  "0xf8a58085174876e800830186a08080b853604580600e600039806000f350fe7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe03601600081602082378035828234f58015156039578182fd5b8082525050506014600cf31ba02222222222222222222222222222222222222222222222222222222222222222a02222222222222222222222222222222222222222222222222222222222222222";

test("the proxy's code and address are those of its keyless transaction", async () => {
  const from = await recoverTransactionAddress({
    serializedTransaction: KEYLESS as TransactionSerializedLegacy,
  });
  const first = getContractAddress({ from, nonce: 0n });
  expect(first.toLowerCase()).toBe(DEPLOYMENT_PROXY.address);
  const { data } = parseTransaction(KEYLESS);
  expect(data?.endsWith(DEPLOYMENT_PROXY.code.slice(2))).toBe(true);
  expect(DEPLOYMENT_PROXY.code.length).toBe(2 + 2 * 69);
  expect(await codeAt(DEPLOYMENT_PROXY.address)).toBe(DEPLOYMENT_PROXY.code);
});

test("the contract's address is known in advance, and the same wherever deployCall is sent", async () => {
  const salt = `0x${"00".repeat(32)}` as const;
  const known = getContractAddress({
    opcode: "CREATE2",
    from: DEPLOYMENT_PROXY.address,
    salt,
    bytecode: INIT_CODE,
  });
  expect(ANCHOR_ADDRESS).toBe(known.toLowerCase());

  const code = await codeAt(ANCHOR_ADDRESS);
  expect(keccak256(code)).not.toBe(keccak256("0x"));
  const remove = async () => {
    await workshop.rpc("anvil_setCode", ANCHOR_ADDRESS, "0x");
    await workshop.rpc("anvil_setNonce", ANCHOR_ADDRESS, "0x0");
    expect(await chain.hasCode([ANCHOR_ADDRESS])).toEqual([false]);
  };
  await remove();
  const answers = await chain.read([
    contract.headCall(chain.sender, salt),
    contract.seedCall(chain.sender, salt),
    contract.successorCall(chain.sender),
  ]);
  expect(() => contract.contractHead(answers[0]!)).toThrow(/the anchoring contract is not on this chain/);
  expect(() => contract.seedCommitment(answers[1]!)).toThrow(/the anchoring contract is not on this chain/);
  expect(() => contract.endorsedSuccessor(answers[2]!)).toThrow(
    /the anchoring contract is not on this chain/,
  );

  const deployed = await chain.send(contract.deployCall(), {
    gas: contract.DEPLOY_GAS,
    alone: true,
    purpose: "settlement",
  });
  expect(deployed.success).toBe(true);
  expect(await codeAt(ANCHOR_ADDRESS)).toBe(code);
  console.log(`| deployment | ${await gasOf(deployed)} |`);
  const again = await chain.send(contract.deployCall(), {
    gas: contract.DEPLOY_GAS,
    alone: true,
    purpose: "settlement",
  });
  expect(again.success).toBe(false);

  await remove();
  await chain.send(contract.deployCall(), { gas: contract.DEPLOY_GAS, purpose: "settlement" });
  expect(await codeAt(ANCHOR_ADDRESS)).toBe(code);

  // A chain saved before the contract existed gets it at the next start.
  await remove();
  const { latest } = await chain.heads();
  await placeContracts((method, params) => workshop.rpc(method, ...params));
  expect(await codeAt(ANCHOR_ADDRESS)).toBe(code);
  expect(await transactionsSince(latest.number)).toBe(1);
  await placeContracts((method, params) => workshop.rpc(method, ...params));
  expect(await transactionsSince(latest.number)).toBe(1);
});

test("a head is stored with its block, found in storage and in the logs", async () => {
  const log_id = contract.logIdOf("log.example/main/0f");
  expect(log_id).toBe(sha256("log.example/main/0f"));
  const other_log = contract.logIdOf("log.example/audit/0f");
  const other = await another();
  const step = smallGrowth(5n, 9n);
  const head = { log_id, size: 5n, root: step.first_root };
  const first = await send(contract.anchorCall(head, []));
  const second = await send(contract.anchorCall({ log_id, size: 9n, root: step.second_root }, step.proof));
  await send(contract.anchorCall({ ...head, log_id: other_log }, []));
  await send(contract.anchorCall(head, []), other);

  const block = (await chain.block(second.block_number))!;
  const kept = contract.contractHead((await chain.read([contract.headCall(chain.sender, log_id)]))[0]!);
  expect(kept).toEqual({
    size: 9n,
    root: step.second_root,
    block_number: block.number,
    timestamp: block.timestamp,
  });
  const none = contract.contractHead((await chain.read([contract.headCall(ANCHOR_ADDRESS, log_id)]))[0]!);
  expect(none).toBeUndefined();

  const slots = contract.headSlots(chain.sender, log_id);
  const { storageProof } = await workshop.rpc<{ storageProof: { value: Hex }[] }>(
    "eth_getProof",
    ANCHOR_ADDRESS,
    slots,
    "latest",
  );
  expect(contract.headInSlots(BigInt(storageProof[0]!.value), BigInt(storageProof[1]!.value))).toEqual(kept);
  expect(contract.headInSlots(0n, 0n)).toBeUndefined();

  const signer = chain.sender;
  const logs = await chain.logs(contract.anchoredQuery(signer, [log_id], await soFar()));
  expect(logs.map(contract.anchoredIn)).toEqual([
    { signer, ...head },
    { signer, log_id, size: 9n, root: step.second_root },
  ]);
  expect(logs.map(({ transaction }) => transaction)).toEqual([first.transaction, second.transaction]);
  expect(first.logs.map(contract.anchoredIn)).toEqual([{ signer, ...head }]);
  const both = await chain.logs(contract.anchoredQuery(signer, [log_id, other_log], await soFar()));
  expect(both.map((log) => contract.anchoredIn(log)?.log_id)).toEqual([log_id, log_id, other_log]);
  expect(logs.map(contract.seedCommittedIn)).toEqual([undefined, undefined]);
  expect(logs.map(contract.endorsedIn)).toEqual([undefined, undefined]);
  expect(contract.anchoredIn({ ...logs[0]!, address: MULTICALL3 })).toBeUndefined();
  other.close();
});

test("a batched call anchors in the name of Multicall3, and not in ours", async () => {
  const log_id = contract.logIdOf("together");
  const { call, options } = contract.anchorCall({ log_id, size: 3n, root: smallRoot(3n) }, []);
  const { logs } = await chain.send(call, { gas: options.gas, purpose: "settlement" });
  expect(logs.map((log) => contract.anchoredIn(log)?.signer)).toEqual([MULTICALL3.toLowerCase()]);
  const [mine] = await chain.read([contract.headCall(chain.sender, log_id)]);
  expect(contract.contractHead(mine!)).toBeUndefined();
});

test("seeds are committed once; a repetition or another sender changes nothing", async () => {
  const signer = chain.sender;
  const other = await another();
  const seeds = Array.from({ length: 4 }, (_, i) => sha256(`seed ${i}`));
  const [a, b, c, d] = seeds as [Hex, Hex, Hex, Hex];
  const first = await send(contract.commitSeedsCall([a, b, a]));
  const first_block = (await chain.block(first.block_number))!;
  expect(first.logs.map(contract.seedCommittedIn)).toEqual(
    [a, b].map((seed_hash) => ({ signer, seed_hash, timestamp: first_block.timestamp })),
  );
  await workshop.rpc("evm_increaseTime", 60);
  const second = await send(contract.commitSeedsCall([b, c, a]));
  const second_block = (await chain.block(second.block_number))!;
  expect(second_block.timestamp).toBeGreaterThanOrEqual(first_block.timestamp + 60);
  expect(second.logs.map((log) => contract.seedCommittedIn(log)?.seed_hash)).toEqual([c]);
  expect((await send(contract.commitSeedsCall([a, b, c]))).logs).toEqual([]);
  expect((await send(contract.commitSeedsCall([]))).success).toBe(true);
  await send(contract.commitSeedsCall([a, d]), other);

  const at = ({ number, timestamp }: typeof first_block) => ({ block_number: number, timestamp });
  const answers = await chain.read(seeds.map((seed) => contract.seedCall(signer, seed)));
  expect(answers.map(contract.seedCommitment)).toEqual([
    at(first_block),
    at(first_block),
    at(second_block),
    undefined,
  ]);
  const logs = await chain.logs(contract.seedCommittedQuery(signer, [a, c, d], await soFar()));
  expect(logs.map((log) => contract.seedCommittedIn(log)?.seed_hash)).toEqual([a, c]);
  other.close();
});

test("the maximum number of seeds fits into a transaction", async () => {
  const seedsOf = (count: number) =>
    Array.from({ length: count }, (_, i) => sha256(`of ${count}, seed ${i}`));
  for (const count of [1, 10, 100, contract.MOST_SEEDS]) {
    const { options, call } = contract.commitSeedsCall(seedsOf(count));
    const receipt = await chain.send(call, options);
    expect([receipt.success, receipt.logs.length]).toEqual([true, count]);
    const gas = await gasOf(receipt);
    console.log(`| ${count} seeds | ${gas} | ${Math.round(gas / count)} |`);
    expect(gas).toBeLessThan(21_000 + Number(options.gas));
    expect(gas).toBeLessThan(2 ** 24);
  }
  expect(() => contract.commitSeedsCall(seedsOf(contract.MOST_SEEDS + 1))).toThrow(/send 500 at most/);
});

test("a signer names one successor, once", async () => {
  const retiring = await another();
  const heir = privateKeyToAccount(generatePrivateKey()).address.toLowerCase() as Hex;
  const successorOf = async (signer: Hex) =>
    contract.endorsedSuccessor((await chain.read([contract.successorCall(signer)]))[0]!);
  const reasonFor = async (next: Hex): Promise<string> => {
    const call = { from: retiring.sender, ...contract.endorseCall(next).call };
    const response = await fetch(workshop.node.rpc_url, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "eth_call", params: [call, "latest"] }),
    });
    const { error } = (await response.json()) as { error?: { data: Hex } };
    return error ? decodeErrorResult({ abi: ABI, data: error.data }).errorName : "none";
  };
  expect(await successorOf(retiring.sender)).toBeUndefined();
  expect(await reasonFor(`0x${"00".repeat(20)}`)).toBe("NotEndorsable");
  expect(await reasonFor(retiring.sender)).toBe("NotEndorsable");
  expect(await reasonFor(heir)).toBe("none");

  const receipt = await send(contract.endorseCall(heir), retiring);
  const answer = { signer: retiring.sender, successor: heir };
  expect(receipt.logs.map(contract.endorsedIn)).toEqual([answer]);
  expect(await successorOf(retiring.sender)).toBe(heir);
  expect(await successorOf(heir)).toBeUndefined();
  console.log(`| endorsement | ${await gasOf(receipt)} |`);

  expect(await reasonFor(heir)).toBe("NotEndorsable");
  expect((await send(contract.endorseCall(chain.sender), retiring)).success).toBe(false);
  expect(await successorOf(retiring.sender)).toBe(heir);
  const logs = await chain.logs(contract.endorsedQuery(retiring.sender, await soFar()));
  expect(logs.map(contract.endorsedIn)).toEqual([answer]);
  retiring.close();
});

test("the contract's state survives the node", async () => {
  const log_id = contract.logIdOf("restarted");
  await send(contract.anchorCall({ log_id, size: 6n, root: smallRoot(6n) }, []));
  await workshop.node.leave();
  workshop.node = await workshop.join();
  const again = baseChain({
    rpc_url: workshop.node.rpc_url,
    chain_id: EMBEDDED_CHAIN_ID,
    gas_key: GAS_KEY,
  });
  const [answer] = await again.read([contract.headCall(again.sender, log_id)]);
  expect(contract.contractHead(answer!)).toMatchObject({ size: 6n, root: smallRoot(6n) });
  const step = smallGrowth(6n, 13n);
  const next = contract.anchorCall({ log_id, size: 13n, root: step.second_root }, step.proof);
  expect((await send(next, again)).success).toBe(true);
  again.close();
});
