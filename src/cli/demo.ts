/** `tallystick demo`: a new agent buys one answer, and verifies what it received. */
import { join, resolve } from "node:path";
import { text } from "node:stream/consumers";
import { Command, InvalidArgumentError, Option } from "commander";
import { type LocalAccount, privateKeyToAccount } from "viem/accounts";
import { encodeFunctionData, parseAbi } from "viem/utils";
import { z } from "zod";
import type { App } from "../core/app.ts";
import type { Hex } from "../core/model/chain.ts";
import { refuse } from "../core/model/refusal.ts";
import { SANDBOX } from "../datasets/sandbox.ts";
import { decimalUsdc, USDC } from "../domain/payments/usdc.ts";
import type { Config } from "../runtime/config.ts";
import { about } from "./about.ts";
import { COMMAND } from "./command-name.ts";
import { ask, buy, get, type Offer, type Purchase, type SignedPayment, sign } from "./demo-buyer.ts";
import { ANSWER, EXPORT, idOf, KEYS, type ProofPlace, prove, RECEIPT } from "./demo-proof.ts";
import { type DemoService, findService, ownDataOpened, serviceReady } from "./demo-service.ts";
import { tell } from "./demo-story.ts";
import { demoWallet } from "./demo-wallets.ts";
import { asUrl } from "./option-values.ts";
import { OWN_ADDRESS } from "./own-address.ts";
import { type StoryName, stories } from "./stories.ts";
import { endLineOfInterrupt, INTERRUPTED, type Terminal } from "./terminal.ts";

const BALANCE = parseAbi(["function balanceOf(address account) view returns (uint256)"]);

/** The agent's questions, best first; the last one needs no trade data. */
const WISHES = [
  { path: "/v1/agent/trade/top-partners", query: "?reporter=DE&flow=IMPORT&limit=3", of_data: true },
  { path: "/v1/agent/replay/wal-since", query: "?since=2026-01-01T00:00:00Z", of_data: false },
];

const STORIES = `
Stories, and the most that each pays at once:
${Object.entries(stories)
  .map(([name, { about, most }]) => `  ${name.padEnd(10)}${decimalUsdc(most).padStart(8)} USDC  ${about}`)
  .join("\n")}

Without --key it pays only on a development chain, with a wallet whose key is public.`;

export function demoCommand({ settings, logger }: Terminal): Command {
  return new Command("demo")
    .description(about.demo)
    .option("--url <url>", `a running service; ${OWN_ADDRESS}, or the demo's own`, asUrl)
    .option(
      "--key <key>",
      "a private key that pays real money on Base (0x and 64 hex digits), or - for standard input",
      asWallet,
    )
    .addOption(
      new Option("--story <name>", "the story, as listed below")
        .choices(Object.keys(stories))
        .default("answer"),
    )
    .addHelpText("after", STORIES)
    .action(
      async ({ url, key, story }: { url?: string; key?: ReturnType<typeof asWallet>; story: StoryName }) => {
        const config = settings();
        const isAnswer = story === "answer";
        if (!isAnswer && key !== undefined)
          refuse("forbidden", `the story of the ${story} pays only with demo wallets: omit --key`);
        tell.title("An agent with only a wallet");
        const opening = () =>
          tell.line("", `No service runs: starting one in ${config.DATA_DIR}; the first time takes seconds.`);
        // Reactors ship goods after a final payment, and compute scores.
        const interrupted = untilInterrupt();
        const own = { reactors: !isAnswer, stopping: interrupted.signal };
        const place = await findService(config, logger("warn"), url, opening, own).catch(interrupted.orLeave);
        interrupted.closes(place.close);
        try {
          tell.line("service", place.own ? `${place.url}, until the demo ends` : place.url);
          if (story === "shop") await tellShop(place, config);
          else if (story === "passport") await tellPassport(place);
          else if (story === "compute") await tellCompute(place, config);
          else if (story === "report") await tellReport(place, config);
          else if (story === "channel") await tellChannel(place);
          else if (story === "skill") await tellSkill(place, config);
          else await buyOneAnswer(place, config, key === FROM_INPUT ? await walletFromInput() : key);
        } finally {
          await place.close();
        }
      },
    );
}

/** Ctrl-C closes what the demo has opened, and a second one ends it at once. */
function untilInterrupt() {
  const interrupted = new AbortController();
  let close: (() => Promise<void>) | undefined;
  const leave = () => void close?.().finally(() => process.exit(INTERRUPTED));
  process.on("SIGINT", (signal) => {
    endLineOfInterrupt(signal);
    if (interrupted.signal.aborted) process.exit(INTERRUPTED);
    interrupted.abort();
    leave();
  });
  return {
    signal: interrupted.signal,
    closes(work: () => Promise<void>) {
      close = work;
      if (interrupted.signal.aborted) leave();
    },
    orLeave(error: unknown): never {
      if (interrupted.signal.aborted) process.exit(INTERRUPTED);
      throw error;
    },
  };
}

async function tellShop(place: DemoService, config: Config): Promise<void> {
  const begun = Date.now();
  const { buyPellets } = await import("./demo-shop.ts");
  if (place.own && place.app) {
    const { openSandboxShop } = await import("../operator/sandbox-shop.ts");
    const { releaseSandboxTables } = await import("../operator/reference.ts");
    await openSandboxShop(place.app);
    await releaseSandboxTables(place.app, config.DATA_DIR, { only_missing: true });
  }
  const wallet = demoWallet();
  tell.line("wallet", `${wallet.address}, the first of the public development mnemonic`);
  await buyPellets(place, wallet);
  tell.end(`Done in ${seconds(Date.now() - begun)}.`);
}

async function tellPassport(place: DemoService): Promise<void> {
  const begun = Date.now();
  const { getPassport } = await import("./demo-passport.ts");
  if (place.own && place.app) {
    const { makeSandboxAgents } = await import("./sandbox-calls.ts");
    await makeSandboxAgents(place.app);
  }
  await getPassport(place);
  tell.end(`Done in ${seconds(Date.now() - begun)}.`);
}

async function tellCompute(place: DemoService, config: Config): Promise<void> {
  const begun = Date.now();
  const { haveTaskDone } = await import("./demo-compute.ts");
  const wallet = demoWallet();
  tell.line("wallet", `${wallet.address}, the first of the public development mnemonic`);
  await haveTaskDone(place.url, wallet, join(config.DATA_DIR, "demo"));
  tell.end(`Done in ${seconds(Date.now() - begun)}.`);
}

async function tellChannel(place: DemoService): Promise<void> {
  const begun = Date.now();
  const { payByChannel } = await import("./demo-channel.ts");
  const wallet = demoWallet();
  tell.line("wallet", `${wallet.address}, the first of the public development mnemonic`);
  await payByChannel(place, wallet);
  tell.end(`Done in ${seconds(Date.now() - begun)}.`);
}

async function tellReport(place: DemoService, config: Config): Promise<void> {
  const begun = Date.now();
  const { buyBrief } = await import("./demo-report.ts");
  await haveData(place, config);
  await buyBrief(place, join(config.DATA_DIR, "demo"), demoWallet());
  tell.end(`Done in ${seconds(Date.now() - begun)}.`);
}

async function tellSkill(place: DemoService, config: Config): Promise<void> {
  const begun = Date.now();
  const { runSkills } = await import("./demo-skill.ts");
  await haveData(place, config);
  await runSkills(place, demoWallet());
  tell.end(`Done in ${seconds(Date.now() - begun)}.`);
}

/** Creates the sandbox, and its tables for a story that reads them, if the demo's own service has none yet; waits for them. */
async function haveData(
  { own, app, url }: DemoService,
  config: Config,
  { tables = true }: { tables?: boolean } = {},
): Promise<void> {
  if (!own || !app) return serviceReady(url);
  const { isUsable, releaseSandbox } = await import("../operator/releases.ts");
  const { releaseSandboxTables } = await import("../operator/reference.ts");
  const { buildOptions } = await import("./build-options.ts");
  if (tables) await releaseSandboxTables(app, config.DATA_DIR, { only_missing: true });
  if (!(await isUsable(app, SANDBOX))) {
    tell.line("", "There is no data: making the synthetic sandbox, which takes ten seconds to a minute.");
    await releaseSandbox(app, buildOptions(config));
    await ownDataOpened(app);
  }
  await serviceReady(url);
}

async function buyOneAnswer(
  place: DemoService,
  config: Config,
  own: LocalAccount | undefined,
): Promise<void> {
  if (!place.own || config.SANDBOX) await haveData(place, config, { tables: false });
  const begun = Date.now();
  tell.step(1, "The price list", "GET /.well-known/x402");
  const path = await choose(place.url);
  const url = place.url + path;

  tell.step(2, "Asking without paying", `GET ${path}`);
  const offer = await ask(url);
  const develops = /development chain/i.test(offer.resource.description);
  tell.line(
    "402",
    `Payment Required: ${usdc(offer.amount_micro)} to ${offer.accepted.payTo} on Base (eip155:8453)`,
  );
  tell.line("says", offer.resource.description);
  const wallet = walletFor(place.url, offer, develops, own);

  tell.step(3, "Signing", "TransferWithAuthorization, EIP-3009");
  const payment = await sign(wallet, offer);
  const { from, nonce, valid_before } = payment.transfer;
  tell.line("wallet", `${from}${own ? "" : ", the first of the public development mnemonic"}`);
  tell.line(
    "signed",
    `${usdc(offer.amount_micro)}, until ${new Date(Number(valid_before) * 1000).toISOString()}`,
  );
  tell.line("nonce", nonce);
  tell.line("", "You sent nothing to the chain: the service submits it, and pays the gas.");

  // Another chain than the service's would show other balances.
  const app = place.app?.embedded_chain === develops ? place.app : undefined;
  const before = app && (await balances(app, payment));
  tell.step(4, "Paying", "the same GET again, with PAYMENT-SIGNATURE, and Prefer: proof");
  const started = Date.now();
  const bought = await buy(url, payment);
  tell.line(String(bought.status), `answered in ${Date.now() - started} ms, settled`);
  tell.answer(bought.body);

  tell.step(5, "The settlement", "PAYMENT-RESPONSE");
  tell.line("transaction", bought.settlement.transaction);
  await tellChain(app, payment, bought, before);
  tellReceipt(bought);

  tell.step(6, "The payment in the log", "");
  await tellStatus(place.url, payment);
  if (bought.event_id && !place.own) tell.line("proof", `${place.url}/log#events/${bought.event_id}`);
  if (app) await tellProof(app, { url: place.url, folder: join(config.DATA_DIR, "demo") }, payment, bought);
  else
    tell.line(
      "",
      "The payment's stream was not exported: this machine has no access to that service's database or chain.",
    );
  tell.end(`Done in ${seconds(Date.now() - begun)}; ${seconds(performance.now())} with all startups.`);
}

const priceList = z.looseObject({
  prices: z.array(z.looseObject({ url: z.url(), price_usdc: z.string() })),
});
const datasets = z.looseObject({ data: z.looseObject({ datasets: z.array(z.unknown()) }) });

/** Reads the catalogue; returns path and query of the call to buy. */
async function choose(url: string): Promise<string> {
  const { prices: offers } = await readJson(`${url}/.well-known/x402`, priceList);
  const { data } = await readJson(`${url}/v1/agent/health`, datasets);
  const has_data = data.datasets.length > 0;
  const offered = WISHES.flatMap((wish) => {
    const found = offers.find((offer) => new URL(offer.url).pathname === wish.path);
    return found && (has_data || !wish.of_data) ? [{ ...wish, ...found }] : [];
  });
  const prices = offers.map(({ price_usdc }) => Number(price_usdc));
  if (!offered[0]) return refuse("not_found", `${url} sells nothing that this demo can call`);
  const { path, query, price_usdc } = offered[0];
  tell.line(
    "sold",
    `${offers.length} operations, ${amount(Math.min(...prices))} to ${amount(Math.max(...prices))} a call`,
  );
  tell.line("chosen", `${path}, ${price_usdc} USDC`);
  if (!has_data)
    tell.line(
      "",
      "There is no trade data yet, so the agent buys its own change feed: a stream, which has no receipt.",
    );
  return path + query;
}

async function readJson<Schema extends z.ZodType>(url: string, schema: Schema): Promise<z.infer<Schema>> {
  const answer = await get(url);
  const read = schema.safeParse(await answer.json().catch(() => undefined));
  return read.success ? read.data : refuse("unprocessable", `${url} is not a Tallystick service`);
}

/** A demo wallet on a development chain, the given one elsewhere; never the wrong one. */
function walletFor(
  url: string,
  { amount_micro }: Offer,
  develops: boolean,
  own: LocalAccount | undefined,
): LocalAccount {
  if (develops && own)
    refuse(
      "forbidden",
      `${url} runs a development chain, and signatures for it are valid on Base: omit --key`,
    );
  if (!develops && !own)
    refuse(
      "forbidden",
      `${url} does not settle on a development chain: demo wallets are empty there; --key pays ${usdc(amount_micro)} of your own`,
    );
  return own ?? demoWallet();
}

type Balances = { payer: bigint; payee: bigint };

async function balances({ chain }: App, { transfer }: SignedPayment): Promise<Balances> {
  const calls = [transfer.from, transfer.to].map((account) => ({
    to: USDC.address.toLowerCase() as Hex,
    data: encodeFunctionData({ abi: BALANCE, functionName: "balanceOf", args: [account] }),
  }));
  const [payer, payee] = (await chain.read(calls)).map(({ data }) => BigInt(data));
  return { payer: payer!, payee: payee! };
}

async function tellChain(
  app: App | undefined,
  payment: SignedPayment,
  { settlement }: Purchase,
  before: Balances | undefined,
): Promise<void> {
  if (!app || !before) return;
  const receipt = await app.chain.receipt(settlement.transaction);
  if (receipt) tell.line("block", String(receipt.block_number));
  const after = await balances(app, payment);
  tell.line("payer", `${usdc(before.payer)} -> ${usdc(after.payer)}`);
  tell.line("payee", `${usdc(before.payee)} -> ${usdc(after.payee)}`);
}

/** Members of a receipt that are not on the screen already. */
const RECEIPT_FIELDS = ["operation", "request_sha256", "answer_sha256", "vintage", "event"];

function tellReceipt({ receipt }: Purchase): void {
  if (!receipt) {
    tell.line("receipt", "none: a streamed answer has no receipt");
    return;
  }
  tell.line("receipt", "a JWS signed by the service; it names the payment and the following:");
  for (const name of RECEIPT_FIELDS) {
    const value = receipt.payload[name];
    if (value !== undefined) tell.line("", `${name} ${JSON.stringify(value)}`);
  }
}

const status = z.looseObject({ data: z.looseObject({ status: z.string() }) });

/** The service's status of the payment, if any. */
async function tellStatus(url: string, payment: SignedPayment): Promise<void> {
  const place = `/v1/agent/payments/${idOf(payment)}`;
  tell.line("payment", idOf(payment));
  const answer = await get(url + place);
  const read = status.safeParse(await answer.json().catch(() => undefined));
  if (answer.ok && read.success)
    tell.line("the service", `says ${read.data.data.status} (GET /v1/agent/payments/{id}, free)`);
}

async function tellProof(
  app: App,
  place: ProofPlace,
  payment: SignedPayment,
  bought: Purchase,
): Promise<void> {
  const { folder, report, types, findings } = await prove(app, place, payment, bought);
  tell.line("exported", `by the operator's side of this machine: ${types.join(", ")}`);
  tell.line("verified", "by this process, from the file and the chain alone:");
  for (const { name, ok, detail } of report.verdicts) tell.finding({ ok, says: `${name}: ${detail}` });
  for (const finding of findings) tell.finding(finding);
  const pathOf = (name: string) => resolve(folder, name);
  tell.line("by hand", `${COMMAND} verify ${pathOf(EXPORT)}`);
  if (bought.receipt)
    tell.line(
      "",
      `${COMMAND} verify receipt ${pathOf(RECEIPT)} --jwks ${pathOf(KEYS)} --body ${pathOf(ANSWER)} --export ${pathOf(EXPORT)}`,
    );
  if (!report.ok || findings.some(({ ok }) => !ok))
    refuse("unprocessable", "the service's answer and its log differ; see the lines marked FAIL");
}

const AMOUNT = { minimumFractionDigits: 2, maximumFractionDigits: USDC.decimals };
const amount = (dollars: number) => `${dollars.toLocaleString("en", AMOUNT)} USDC`;
const usdc = (micro: bigint) => amount(Number(micro) / 10 ** USDC.decimals);

const seconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`;

const FROM_INPUT = "-";

async function walletFromInput(): Promise<LocalAccount> {
  const wallet = walletOf((await text(process.stdin)).trim());
  return wallet ?? refuse("invalid", "--key -: standard input is not a private key: 0x and 64 hex digits");
}

function walletOf(key: string): LocalAccount | undefined {
  try {
    return privateKeyToAccount(key as Hex);
  } catch {
    return undefined;
  }
}

function asWallet(given: string): LocalAccount | typeof FROM_INPUT {
  if (given === FROM_INPUT) return FROM_INPUT;
  const wallet = walletOf(given);
  if (!wallet) throw new InvalidArgumentError("is a private key: 0x and 64 hex digits");
  return wallet;
}
