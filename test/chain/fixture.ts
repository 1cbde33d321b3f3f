/** A chain for a test file. */
import { randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type HDAccount, privateKeyToAccount } from "viem/accounts";
import { type BaseChain, type BaseChainOptions, baseChain } from "../../src/adapters/base-chain.ts";
import { EMBEDDED_CHAIN_ID, type EmbeddedChain, embeddedChain } from "../../src/adapters/embedded-chain.ts";
import { isAlive } from "../../src/adapters/folder-lock.ts";
import type { Call, Hex } from "../../src/core/model/chain.ts";
import type { Chain } from "../../src/core/model/ports/chain.ts";
import type { SignedTransfer, TransferAuthorization } from "../../src/core/model/ports/settlement.ts";
import { factCalls, paymentFacts, TRANSFER_GAS, transferCall, USDC } from "../../src/domain/payments/usdc.ts";
import { until } from "../support/until.ts";
import { GAS_KEY, payment, wallet } from "../support/wallets.ts";
import { ask, lendNode, runningNode as nodeIn } from "./lent-node.ts";

export type Workshop = {
  dir: string;
  node: EmbeddedChain;
  chain: BaseChain;
  /** Starts or joins the node in the same folder; what is put into `node` leaves at the end. */
  join(onLost?: () => void): Promise<EmbeddedChain>;
  connect(more?: Partial<BaseChainOptions>): BaseChain;
  /** A request to the node without the port. */
  rpc<T>(method: string, ...params: unknown[]): Promise<T>;
  /** Ends the node like a power cut. */
  kill(): Promise<void>;
  close(): Promise<void>;
};

/** A node that a test manipulates: the service's own, or a workshop's. */
export type Meddled = { chain: Chain; rpc: Workshop["rpc"] };

/** On the worker's node in its initial state; `own` for tests that start, stop or kill it. */
export async function openWorkshop({ own = false } = {}): Promise<Workshop> {
  const dir = await mkdtemp(join(tmpdir(), "tallystick-chain-"));
  const giveBack = own ? undefined : await lendNode(join(dir, "chain"));
  const sender = privateKeyToAccount(GAS_KEY).address;
  const joinNode = (onLost?: () => void) =>
    embeddedChain({ dir: join(dir, "chain"), gas_accounts: [sender], onLost });
  const node = await joinNode();
  const connect = (more: Partial<BaseChainOptions> = {}) =>
    baseChain({ rpc_url: node.rpc_url, chain_id: EMBEDDED_CHAIN_ID, gas_key: GAS_KEY, ...more });
  const chain = connect();
  const workshop: Workshop = {
    dir,
    node,
    chain,
    join: joinNode,
    connect,
    rpc: (method, ...params) => ask(node.rpc_url, method, ...params),
    kill: async () => {
      if (!own) throw new Error("the worker's node is others' too: open the workshop with `own`");
      const { pid } = await runningNode(dir);
      process.kill(pid, "SIGKILL");
      await until(() => !isAlive(pid));
    },
    close: async () => {
      chain.close();
      await workshop.node.leave();
      giveBack?.();
      await rm(dir, { recursive: true, force: true });
    },
  };
  return workshop;
}

/** The node of a data folder. */
export const runningNode = (dir: string) => nodeIn(join(dir, "chain"));

/** The facts of many payments, in one request. */
export async function factsOf(chain: Chain, payments: readonly SignedTransfer[], gas?: bigint) {
  const answers = await chain.read(payments.flatMap(factCalls), { gas });
  return payments.map((_, i) => paymentFacts(answers.slice(3 * i, 3 * i + 3)));
}

/** An account's balance, in micro-USDC. */
export async function balanceOf(chain: Chain, account: Hex): Promise<bigint> {
  const data: Hex = `0x70a08231${account.slice(2).padStart(64, "0")}`;
  const [answer] = await chain.read([{ to: USDC.address, data }]);
  return BigInt(answer!.data);
}

/** Gives an account this code and one USDC. */
export async function placeWallet(workshop: Workshop, account: Hex, code: Hex): Promise<void> {
  await carriedByStranger(workshop, await payment(wallet(8), 1_000_000n, { to: account }));
  await workshop.rpc("anvil_setCode", account, code);
}

/** Lets a payer cancel an authorization on the chain. */
export async function cancelAuthorization(
  workshop: Meddled,
  payer: HDAccount,
  { from, nonce }: Pick<TransferAuthorization, "from" | "nonce">,
): Promise<void> {
  const signature = await payer.signTypedData({
    domain: { name: USDC.name, version: USDC.version, chainId: 8453, verifyingContract: USDC.address },
    types: {
      CancelAuthorization: [
        { name: "authorizer", type: "address" },
        { name: "nonce", type: "bytes32" },
      ],
    },
    primaryType: "CancelAuthorization",
    message: { authorizer: from, nonce },
  });
  const word = (hex: string) => hex.replace("0x", "").padStart(64, "0");
  // cancelAuthorization(address authorizer, bytes32 nonce, bytes signature)
  const data: Hex = `0xb7b72899${word(from)}${word(nonce)}${word("60")}${word("41")}${signature.slice(2).padEnd(192, "0")}`;
  await sentByStranger(workshop, USDC.address, data);
}

/** Carries an authorization to the chain without the service, as anybody may; returns the mined transaction. */
export function carriedByStranger(workshop: Meddled, signed: SignedTransfer): Promise<Hex> {
  const { to, data } = transferCall(signed);
  return sentByStranger(workshop, to, data);
}

async function sentByStranger({ rpc, chain }: Meddled, to: Hex, data: Hex): Promise<Hex> {
  const gas = `0x${TRANSFER_GAS.toString(16)}`;
  const transaction = await rpc<Hex>("eth_sendTransaction", { from: wallet(9).address, to, data, gas });
  // Mining is paused while the node's state is saved.
  await until(async () => Boolean(await chain.receipt(transaction)));
  return transaction;
}

/** Lets any account send a call, and waits until it is mined. */
export async function sendAs({ rpc }: Pick<Meddled, "rpc">, from: Hex, { to, data }: Call): Promise<void> {
  await rpc("anvil_impersonateAccount", from);
  await rpc("anvil_setBalance", from, "0xde0b6b3a7640000");
  const transaction = await rpc("eth_sendTransaction", { from, to, data, gas: "0x7a120" });
  await until(async () => (await rpc("eth_getTransactionReceipt", transaction)) !== null);
  await rpc("anvil_stopImpersonatingAccount", from);
}

/** Mines until the chain's current content is final. */
export async function finalize({ chain, rpc }: Meddled): Promise<void> {
  const { latest } = await chain.heads();
  while ((await chain.heads()).finalized.number < latest.number) await rpc("evm_mine");
}

/** Resets the chain to a snapshot and continues it with another, slightly longer history. */
export async function rewind({ chain, rpc }: Meddled, snapshot: Hex): Promise<void> {
  const { latest } = await chain.heads();
  if (!(await rpc<boolean>("evm_revert", snapshot))) throw new Error("there is no such snapshot");
  await rpc("anvil_setBalance", `0x${randomBytes(20).toString("hex")}`, "0x1");
  while ((await chain.heads()).latest.number < latest.number + 1n) await rpc("evm_mine");
}

/** A pending transaction, as the node reports it. */
export type Pooled = { hash: Hex; maxFeePerGas: Hex; nonce: Hex; input: Hex };
type Pool = { pending: Record<string, Record<string, Pooled>> };

/** The pending transactions. */
export async function inPool({ rpc }: Workshop) {
  const { pending } = await rpc<Pool>("txpool_content");
  return Object.values(pending).flatMap((byNonce) => Object.values(byNonce));
}

/** From now on blocks come on request: the node mines nothing, and the chain is idle. */
export async function stopMining({ chain, node, rpc }: Workshop): Promise<void> {
  const isAtRest = async () => {
    const { latest } = await chain.heads();
    const blocks = [latest.number, latest.number - 1n].map((number) =>
      rpc<{ transactions: Hex[] }>("eth_getBlockByNumber", `0x${number.toString(16)}`, false),
    );
    return (await Promise.all(blocks)).every(({ transactions }) => transactions.length === 0);
  };
  await until(async () => Boolean(await isAtRest()));
  // Nothing is left to save, which would restart mining.
  await node.save();
  await rpc("evm_setAutomine", false);
}

export async function mineAgain({ rpc }: Workshop): Promise<void> {
  await rpc("evm_setAutomine", true);
  await rpc("evm_mine");
}
