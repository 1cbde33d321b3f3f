import { join } from "node:path";
import type pg from "pg";
import type { Logger } from "pino";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { openPool } from "../../eventstore/pool.ts";
import { baseChain } from "../adapters/base-chain.ts";
import { DEVELOPMENT_TOKEN } from "../adapters/chain-contracts.ts";
import { EMBEDDED_CHAIN_ID, type EmbeddedChain, embeddedChain } from "../adapters/embedded-chain.ts";
import { gasBudget, gasJournal } from "../adapters/gas-budget.ts";
import { gasRecord } from "../adapters/gas-record.ts";
import { hostedSettlement } from "../adapters/hosted-facilitator.ts";
import { sharedNonces } from "../adapters/nonces.ts";
import { payerHistory } from "../adapters/payer-history.ts";
import { chainSettlement } from "../adapters/settlement.ts";
import { storedSecret } from "../adapters/stored-secret.ts";
import type { ChainParts } from "../core/app.ts";
import { type Hex, networkOf } from "../core/model/chain.ts";
import { type Chain, ChainUnavailable } from "../core/model/ports/chain.ts";
import type { Clock } from "../core/model/ports/clock.ts";
import type { Settlement } from "../core/model/ports/settlement.ts";
import { gasCost } from "../domain/payments/refund.ts";
import { BASE, TRANSFER_GAS } from "../domain/payments/usdc.ts";
import { recoverKey } from "./assemble-audit.ts";
import type { Config } from "./config.ts";

/** The embedded chain's keys are made once, in DATA_DIR. */
type ChainKeys = { gas: Hex; refund: Hex; pay_to: Hex };

/** Undefined where the settings name a node; awaiting it reveals a failed start. */
export type StartedNode = { started: Promise<EmbeddedChain | undefined>; leave(): Promise<void> };

export function startNode(config: Config, log: Logger): StartedNode {
  const onLost = () => log.warn("the embedded chain is gone; starting it again");
  const started = config.BASE_RPC_URL
    ? Promise.resolve(undefined)
    : keysOf(config).then(({ gas }) =>
        embeddedChain({ dir: join(config.DATA_DIR, "chain"), gas_accounts: [addressOf(gas)], onLost }),
      );
  const opened = started.catch(() => undefined);
  return { started, leave: async () => (await opened)?.leave() };
}

/** The gas key's nonces and transaction records use their own connection, so that a full pool cannot stop them. */
export async function openChain(
  config: Config,
  {
    pool,
    url,
    onError,
    onUnlisted,
    clock,
  }: {
    pool: pg.Pool;
    url: string;
    onError: (error: Error) => void;
    /** Called with the reason if the facilitator's catalogue refuses a purchase. */
    onUnlisted: (reason: string) => void;
    clock: Clock;
  },
  { started }: StartedNode,
): Promise<ChainParts & { close(): Promise<void> }> {
  const node = await started;
  const keys = await keysOf(config);
  const own = openPool(url, { max: 1, wait_ms: config.DATABASE_WAIT_MS, onError });
  const chain_id = node ? EMBEDDED_CHAIN_ID : BASE.chain_id;
  const network = networkOf({ chain_id });
  const sending = baseChain({
    rpc_url: config.BASE_RPC_URL ?? node!.rpc_url,
    chain_id,
    gas_key: keys.gas,
    nonces: sharedNonces(own, network, addressOf(keys.gas)),
    journal: gasJournal(gasRecord(own, network), clock),
  });
  const record = gasRecord(pool, network);
  // Play money needs no budget.
  const budget_eth = node ? undefined : config.GAS_BUDGET_ETH;
  const purposes_eth = node ? {} : purposesOf(config);
  const budget = gasBudget({ budget_eth, purposes_eth, clock, record });
  const chain = budget.counted(sending);
  const payers = payerHistory(pool, network, clock);
  const hosted = hostedOf(config, chain, onUnlisted);
  // Play money needs no budget.
  const costOf = async (gas: bigint) => (node ? 0n : gasCost(gas, await chain.gasPrice(), config.ETH_USDC));
  return {
    chain,
    settlement: hosted ?? budget.guarded(chainSettlement(chain, { payers })),
    recover: recoverKey,
    pay_to: keys.pay_to,
    refunds: privateKeyToAccount(keys.refund),
    attester: privateKeyToAccount(keys.gas),
    platform_token: platformTokenOf(config),
    opens_chain: true,
    embedded_chain: node !== undefined,
    takes_channels: hosted === undefined,
    gas: {
      ...budget,
      refund_cost_micro: async () => (hosted ? 0n : costOf(TRANSFER_GAS)),
      cost_micro: costOf,
    },
    close: async () => {
      sending.close();
      await own.end();
    },
  };
}

/** Strangers can cause these, so their budgets are separate from purchases. */
const purposesOf = (config: Config) => ({
  attestation: config.ATTESTATION_GAS_ETH,
  "contract settlement": config.CONTRACT_GAS_ETH,
  carrying: config.CARRYING_GAS_ETH,
  "unasked refund": config.UNASKED_GAS_ETH,
  withdrawal: config.WITHDRAWAL_GAS_ETH,
  "channel deposit": config.CHANNEL_GAS_ETH,
  "channel claim": config.CLAIM_GAS_ETH,
});

/** A facilitator that pays the gas, or our own key within its budget. */
function hostedOf(
  config: Config,
  chain: Chain,
  onUnlisted: (reason: string) => void,
): Settlement | undefined {
  const { FACILITATOR_URL: url, FACILITATOR_TOKEN: token } = config;
  const { FACILITATOR_KEY_ID: id, FACILITATOR_KEY_SECRET: secret } = config;
  const key = id !== undefined && secret !== undefined ? { id, secret } : undefined;
  return url ? hostedSettlement(chain, { url, token, key, onUnlisted }) : undefined;
}

/** For commands that need no chain: every query rejects. */
export async function absentChain(config: Config): Promise<ChainParts & { close(): Promise<void> }> {
  const keys = await keysOf(config);
  const away = () => Promise.reject(new ChainUnavailable("this command opens no chain"));
  const chain: Chain = {
    chain_id: BASE.chain_id,
    sender: addressOf(keys.gas),
    heads: away,
    block: away,
    read: away,
    hasCode: away,
    trial: away,
    code: away,
    gasPrice: away,
    balance: away,
    send: away,
    queued: () => 0,
    highestNonce: away,
    minedCount: away,
    receipt: away,
    logs: away,
    stateProof: away,
    signedTransaction: away,
  };
  return {
    chain,
    settlement: { facts: away, ended: away, settle: away },
    recover: recoverKey,
    pay_to: keys.pay_to,
    refunds: privateKeyToAccount(keys.refund),
    attester: privateKeyToAccount(keys.gas),
    platform_token: platformTokenOf(config),
    opens_chain: false,
    embedded_chain: config.BASE_RPC_URL === undefined,
    takes_channels: false,
    gas: {
      spent_today: away,
      purposes_today: away,
      refund_cost_micro: away,
      cost_micro: away,
      budget_wei: undefined,
    },
    close: async () => {},
  };
}

const platformTokenOf = ({ BASE_RPC_URL, PLATFORM_TOKEN }: Config): Hex | undefined =>
  BASE_RPC_URL === undefined ? DEVELOPMENT_TOKEN : (PLATFORM_TOKEN?.toLowerCase() as Hex | undefined);

async function keysOf(config: Config): Promise<ChainKeys> {
  const storedKey = async (name: string) =>
    (await storedSecret(join(config.DATA_DIR, name), generatePrivateKey)) as Hex;
  const gas = config.GAS_KEY ?? (await storedKey("gas.key"));
  const own = config.PAY_TO === undefined ? await storedKey("pay-to.key") : undefined;
  const pay_to = (config.PAY_TO?.toLowerCase() as Hex | undefined) ?? addressOf(own!);
  return { gas, refund: config.REFUND_KEY ?? own ?? gas, pay_to };
}

const addressOf = (key: Hex) => privateKeyToAccount(key).address.toLowerCase() as Hex;
