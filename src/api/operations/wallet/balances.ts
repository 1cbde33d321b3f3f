import { z } from "zod";
import type { App } from "../../../core/app.ts";
import { forEach } from "../../../core/coordination/concurrency.ts";
import type { Hex } from "../../../core/model/chain.ts";
import { networkOf } from "../../../core/model/chain.ts";
import { address, chainHash, cursor, decimal, limit, lowerCase, time } from "../../../core/model/fields.ts";
import { ChainUnavailable } from "../../../core/model/ports/chain.ts";
import { refuseField } from "../../../core/model/refusal.ts";
import { decimalUsdc, USDC } from "../../../domain/payments/usdc.ts";
import { decimalOf } from "../../../domain/wallet/amount.ts";
import { balanceCalls, balancesIn, requireToken } from "../../../domain/wallet/balances.ts";
import { account } from "../../../domain/wallet/inputs.ts";
import { type Token, type Transfer, tokenCalls } from "../../../domain/wallet/token.ts";
import { historyPage, MOST_BLOCKS } from "../../../projections/wallet/history.ts";
import { platformAccounts, platformTokens } from "../../../reactors/wallet/follow-transfers.ts";
import { json, key, operation, pay, reads } from "../../declare/index.ts";
import { developmentChain, network } from "./fields.ts";

const ETHER_DECIMALS = 18;
const USDC_ADDRESS = lowerCase(USDC.address);

const accountField = account
  .describe("The account; omitted = the platform's wallet, which is paid")
  .optional();

const balances = operation({
  name: "wallet_balances",
  route: "GET /v1/agent/wallet/balances",
  effect: { ...reads, reaches_out: true },
  summary: "Ether, platform tokens and USDC of an account",
  description: "All balances are of one block, from one read of the chain.",
  again_to: "anybody",
  access: [key("read"), pay("0.001")],
  input: z.object({ address: accountField }),
  output: json(
    z.object({
      data: z.object({
        address,
        is_platform: z.boolean().describe("One of the platform's own accounts"),
        eth: decimal.describe("In ether"),
        usdc: decimal.describe("In USDC"),
        token: z
          .object({ address, symbol: z.string(), decimals: z.int(), amount: decimal.describe("In tokens") })
          .nullable()
          .describe("Platform tokens; null without a token on this chain"),
      }),
      meta: z.object({
        network,
        block_number: z.int(),
        block_time: time,
        usdc: address.describe("USDC's contract"),
        development_chain: developmentChain,
      }),
    }),
  ),
  example: {},
  handle: async ({ input, app }) => {
    const { chain, platform_token } = app;
    const address = input.address ?? app.pay_to;
    const answers = await chain.read(balanceCalls(address, platform_token), { mined: true });
    const { eth, usdc, token, block_number, timestamp } = balancesIn(platform_token, answers);
    return {
      data: {
        address,
        is_platform: platformAccounts(app).includes(address),
        eth: decimalOf(eth, ETHER_DECIMALS),
        usdc: decimalUsdc(usdc),
        token: token
          ? {
              address: token.address,
              symbol: token.symbol,
              decimals: token.decimals,
              amount: decimalOf(token.amount, token.decimals),
            }
          : null,
      },
      meta: {
        network: networkOf(chain),
        block_number: Number(block_number),
        block_time: timeOf(timestamp),
        usdc: USDC_ADDRESS,
        development_chain: app.embedded_chain,
      },
    };
  },
});

const history = operation({
  name: "wallet_history",
  route: "GET /v1/agent/wallet/history",
  effect: { ...reads, reaches_out: true },
  summary: "Platform tokens and USDC that an account received and sent, newest first",
  description: `From the Transfer logs of both tokens; ether leaves none. The platform's own accounts are indexed; for others ${MOST_BLOCKS} blocks are
scanned at a time: \`scanned_to\` is how far a page reaches, and \`next_cursor\` continues below it, even after an empty page.`,
  again_to: "anybody",
  access: [key("read"), pay("0.005")],
  lists: "none",
  input: z.object({
    address: accountField,
    limit: limit("How many to list, 1 to 100"),
    cursor: cursor(/^\d{1,15}-\d{1,9}$/),
  }),
  output: json(
    z.object({
      data: z.array(
        z.object({
          direction: z.enum(["in", "out", "self"]).describe("in: received; out: sent; self: to itself"),
          token: address.describe("The token's contract"),
          symbol: z.string(),
          amount: decimal.describe("In tokens"),
          from: address.describe("The sender"),
          to: address.describe("The recipient"),
          transaction: chainHash,
          block_number: z.int(),
          log_index: z.int(),
          time: time.describe("Block time"),
          final: z.boolean().describe("False: the chain may still revert it"),
        }),
      ),
      meta: z.object({
        address,
        network,
        count: z.int(),
        next_cursor: z.string().nullable(),
        scanned_to: z.int().describe("This page and earlier ones have all transfers down to this block"),
        latest_block: z.int(),
        final_block: z.int(),
        tokens: z
          .array(z.object({ address, symbol: z.string() }))
          .describe("The tokens whose transfers are listed"),
        development_chain: developmentChain,
      }),
    }),
  ),
  example: { limit: 5 },
  handle: async ({ input: { limit, cursor, ...input }, app }) => {
    const { chain } = app;
    const account = input.address ?? app.pay_to;
    const { latest, finalized } = await chain.heads();
    const tokens = await listedTokens(app);
    const [block_number, index] = cursor?.split("-") ?? [];
    const before =
      cursor === undefined ? undefined : { block_number: BigInt(block_number!), index: Number(index) };
    if (before && before.block_number > latest.number + 1n)
      refuseField("cursor", `names a block that does not exist yet; the newest is ${latest.number}`);
    const question = { account, tokens: [...tokens.keys()], before, limit };
    const { transfers, scanned_to, next } = await historyPage(app, question, latest.number);
    const times = await timesOf(app, transfers);
    return {
      data: transfers.map(({ token, from, to, amount, transaction, block_number, index }) => {
        const { symbol, decimals } = tokens.get(token)!;
        return {
          direction: from === to ? ("self" as const) : to === account ? ("in" as const) : ("out" as const),
          token,
          symbol,
          amount: token === USDC_ADDRESS ? decimalUsdc(amount) : decimalOf(amount, decimals),
          from,
          to,
          transaction,
          block_number: Number(block_number),
          log_index: index,
          time: times.get(block_number)!,
          final: block_number <= finalized.number,
        };
      }),
      meta: {
        address: account,
        network: networkOf(chain),
        count: transfers.length,
        next_cursor: next ? `${next.block_number}-${next.index}` : null,
        scanned_to: Number(scanned_to),
        latest_block: Number(latest.number),
        final_block: Number(finalized.number),
        tokens: [...tokens.values()].map(({ address, symbol }) => ({ address, symbol })),
        development_chain: app.embedded_chain,
      },
    };
  },
});

/** The tokens whose transfers an answer lists, by address. */
async function listedTokens(app: App): Promise<Map<Hex, Token>> {
  const tokens = platformTokens(app);
  const answers = await app.chain.read(tokens.flatMap(tokenCalls));
  return new Map(
    tokens.map((token, at) => [token, requireToken(token, answers.slice(2 * at, 2 * at + 2))] as const),
  );
}

/** The times of these transfers' blocks. Rejects with ChainUnavailable if a block no longer exists. */
async function timesOf({ chain }: App, transfers: readonly Transfer[]): Promise<Map<bigint, string>> {
  const hashes = new Map(transfers.map(({ block_number, block_hash }) => [block_number, block_hash]));
  const times = await forEach([...hashes], async ([number, hash]) => {
    const block = await chain.block(number);
    if (block?.hash !== hash) throw new ChainUnavailable("the chain changed during the read");
    return [number, timeOf(block.timestamp)] as const;
  });
  return new Map(times);
}

const timeOf = (timestamp: number) => new Date(timestamp * 1_000).toISOString();

export const walletOperations = [balances, history];
