/** Opens the chain that payments settle on: a node by address, or the embedded one in DATA_DIR. */
import { join } from "node:path";
import type { Logger } from "pino";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { baseChain } from "./adapters/base-chain.ts";
import { DEVELOPMENT_TOKEN } from "./adapters/chain-contracts.ts";
import { EMBEDDED_CHAIN_ID, embeddedChain } from "./adapters/embedded-chain.ts";
import { type GasBudget, type GasBudgetOptions, gasBudget } from "./adapters/gas-budget.ts";
import { hostedSettlement } from "./adapters/hosted-facilitator.ts";
import { keptSecret } from "./adapters/kept-secret.ts";
import { chainSettlement } from "./adapters/settlement.ts";
import { systemClock } from "./adapters/system.ts";
import type { ChainParts } from "./app.ts";
import { recoverKey } from "./assemble-audit.ts";
import type { Config } from "./config.ts";
import type { Hex } from "./domain/chain.ts";
import { type Chain, ChainUnavailable, type Settlement } from "./domain/ports.ts";

const BASE_CHAIN_ID = 8453;

/** The keys that sign on the chain; on the embedded one they are made once and stay in DATA_DIR. */
type ChainKeys = { gas: Hex; refund: Hex; pay_to: Hex };

/** Everything that speaks to the chain, and how it is let go. `recorded` tells what gas has cost, which the budget is held against. */
export async function openChain(
  config: Config,
  log: Logger,
  recorded: GasBudgetOptions["recorded"],
): Promise<ChainParts & { close(): Promise<void> }> {
  const keys = await keysOf(config);
  const gasAccount = addressOf(keys.gas);
  const node = config.BASE_RPC_URL
    ? undefined
    : await embeddedChain({
        dir: join(config.DATA_DIR, "chain"),
        gas_accounts: [gasAccount],
        onLost: () => log.warn("the embedded chain is gone; starting it again"),
      });
  const sending = baseChain({
    rpc_url: config.BASE_RPC_URL ?? node!.rpc_url,
    chain_id: node ? EMBEDDED_CHAIN_ID : BASE_CHAIN_ID,
    gas_key: keys.gas,
  });
  // Play money needs no budget.
  const budget = node
    ? undefined
    : gasBudget({ budget_eth: config.GAS_BUDGET_ETH, clock: systemClock, recorded });
  const chain = budget?.counted(sending) ?? sending;
  return {
    chain,
    settlement: settlementOf(config, chain, budget),
    recover: recoverKey(),
    pay_to: keys.pay_to,
    refunds: privateKeyToAccount(keys.refund),
    platform_token: platformTokenOf(config),
    embedded_chain: node !== undefined,
    close: async () => {
      sending.close();
      await node?.leave();
    },
  };
}

/** By a facilitator that pays the gas itself, or by our own key within its budget. */
function settlementOf(config: Config, chain: Chain, budget: GasBudget | undefined): Settlement {
  const { FACILITATOR_URL: url, FACILITATOR_TOKEN: token } = config;
  if (url) return hostedSettlement(chain, { url, token });
  const own = chainSettlement(chain);
  return budget?.guarded(own) ?? own;
}

/** For commands that need no chain: whatever asks for it is told that it is away. */
export async function absentChain(config: Config): Promise<ChainParts> {
  const keys = await keysOf(config);
  const away = () => Promise.reject(new ChainUnavailable("this command opens no chain"));
  const chain: Chain = {
    chain_id: BASE_CHAIN_ID,
    sender: addressOf(keys.gas),
    heads: away,
    block: away,
    read: away,
    hasCode: away,
    balance: away,
    send: away,
    receipt: away,
    logs: away,
    stateProof: away,
    signedTransaction: away,
  };
  const settlement = closedSettlement("this command opens no chain");
  return {
    chain,
    settlement,
    recover: recoverKey(),
    pay_to: keys.pay_to,
    refunds: privateKeyToAccount(keys.refund),
    platform_token: platformTokenOf(config),
    embedded_chain: config.BASE_RPC_URL === undefined,
  };
}

/** The development chain has one of its own. */
const platformTokenOf = ({ BASE_RPC_URL, PLATFORM_TOKEN }: Config): Hex | undefined =>
  BASE_RPC_URL === undefined ? DEVELOPMENT_TOKEN : (PLATFORM_TOKEN?.toLowerCase() as Hex | undefined);

/** Takes no payments, for the reason given. */
export function closedSettlement(reason: string): Settlement {
  const refuse = () => Promise.reject(new ChainUnavailable(reason));
  return { facts: refuse, ended: refuse, settle: refuse };
}

async function keysOf(config: Config): Promise<ChainKeys> {
  const kept = async (name: string) =>
    (await keptSecret(join(config.DATA_DIR, name), generatePrivateKey)) as Hex;
  const gas = config.GAS_KEY ?? (await kept("gas.key"));
  const own = config.PAY_TO === undefined ? await kept("pay-to.key") : undefined;
  const pay_to = (config.PAY_TO?.toLowerCase() as Hex | undefined) ?? addressOf(own!);
  return { gas, refund: config.REFUND_KEY ?? own ?? gas, pay_to };
}

const addressOf = (key: Hex) => privateKeyToAccount(key).address.toLowerCase() as Hex;
