/** Stores the transfers of the platform's own accounts from blocks that became final. */

import { compareChain } from "../../chain/history.ts";
import type { App } from "../../core/app.ts";
import { type Outcome, reactor, type Tick } from "../../core/background/reactor.ts";
import { type Hex, networkOf } from "../../core/model/chain.ts";
import { lowerCase } from "../../core/model/fields.ts";
import { USDC } from "../../domain/payments/usdc.ts";
import { transfersOf } from "../../projections/wallet/read-transfers.ts";
import {
  type FollowedAccount,
  forgetTransfers,
  type Reach,
  reachOf,
  storeTransfers,
} from "../../projections/wallet/transfers.ts";

/** Blocks of one question: nodes return only so many logs, and payments are many. */
const AT_ONCE = 200n;

/** Blocks without transfers between two stored reaches: it bounds how far a process that starts reads again. */
const STORE_EVERY = 50n;

/** Requests for an account's token in a tick: after an outage the service catches up over several ticks. */
const MOST_QUESTIONS = 50;

/** The accounts that payments go to, that pays for gas and airdrops, and that refunds come from. */
export const platformAccounts = ({ pay_to, chain, refunds }: App): Hex[] => [
  ...new Set([pay_to, chain.sender, refunds.address].map(lowerCase)),
];

/** The listed tokens: the platform's, where it has one, and USDC. */
export const platformTokens = ({ platform_token }: Pick<App, "platform_token">): Hex[] => [
  ...(platform_token ? [lowerCase(platform_token)] : []),
  lowerCase(USDC.address),
];

/** How far each account's token was read, and the reach that is stored. */
type Memory = Map<string, { read: Reach; stored: Reach }>;

export const transfersReactor = reactor({
  name: "transfers",
  every_ms: 60_000,
  memory: (): Memory => new Map(),
  take: followTransfers,
  failures: {
    away: "the chain is unavailable: transfers of the platform's accounts are not stored meanwhile",
    behind: "transfers of the platform's accounts are not stored: the chain lags behind its earlier head",
    foreign: "transfers of the platform's accounts are not stored: this is another chain than the log's",
    failed: "transfers of the platform's accounts cannot be stored; trying again",
  },
  resumed: "transfers of the platform's accounts are stored again",
});

/** Reads on from where it was, until it is stopped. Rejects with ChainUnavailable. */
async function followTransfers(turn: Tick<Memory>): Promise<Outcome<"behind" | "foreign">> {
  const { app, signal } = turn;
  const { chain } = app;
  const compared = await compareChain(app);
  if (compared.status !== "same") return compared;
  const { finalized } = await chain.heads();
  for (const account of platformAccounts(app))
    for (const token of platformTokens(app)) {
      const followed = { network: networkOf(chain), account, token };
      for (let requests = 0, more = !signal.aborted; more && requests < MOST_QUESTIONS; requests++)
        more = (await followOne(turn, followed, finalized.number)) && !signal.aborted;
    }
  return "done";
}

/** Reads a few blocks on; whether there are more. */
async function followOne(
  { app, lease, log, memory }: Tick<Memory>,
  followed: FollowedAccount,
  final: bigint,
): Promise<boolean> {
  const { chain, pool } = app;
  const place = `${followed.account} ${followed.token}`;
  const known = memory.get(place);
  const last = known?.read ?? (await reachOf(pool, followed));
  if (last) {
    const block = await chain.block(last.to_block);
    // The node lags; a later tick asks again.
    if (!block) return false;
    if (block.hash !== last.to_hash) {
      log.warn(
        { account: followed.account },
        "this is another chain: its transfers are read from the beginning",
      );
      await lease.transaction((tx) => forgetTransfers(tx, followed));
      memory.delete(place);
      return false;
    }
  }
  // Base's first blocks are millions away, so earlier transfers are read on request only.
  const from_block = last ? last.to_block + 1n : app.embedded_chain ? 0n : final;
  const to_block = final < from_block + AT_ONCE ? final : from_block + AT_ONCE - 1n;
  if (to_block < from_block) return false;
  const transfers = await transfersOf(chain, [followed.token], followed.account, { from_block, to_block });
  const end = await chain.block(to_block);
  if (!end) return false;
  const read = { from_block: last?.from_block ?? from_block, to_block, to_hash: end.hash };
  const stored = known?.stored ?? last;
  const isDue = transfers.length > 0 || !stored || to_block - stored.to_block >= STORE_EVERY;
  if (isDue) await lease.transaction((tx) => storeTransfers(tx, followed, read, stored, transfers));
  memory.set(place, { read, stored: isDue ? read : stored });
  return to_block < final;
}
