/** Service and Postgres are killed while payers spend their channels: each voucher counts once, and none is lost. */
import { type ChildProcess, execFileSync } from "node:child_process";
import { chmod, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type EmbeddedPostgres, embeddedPostgres } from "../../src/adapters/embedded-postgres.ts";
import { readChannels } from "../../src/chain/channels.ts";
import * as channels from "../../src/domain/payments/channel.ts";
import { books } from "../../src/operator/books.ts";
import { channelsReactor } from "../../src/reactors/payments/channels.ts";
import { openWorkshop, type Workshop } from "../chain/fixture.ts";
import { ChannelPayer, type ChannelTerms, chargeOf, requiredOf, termsOf } from "../support/channels.ts";
import { replace } from "../support/replace.ts";
import { scaled } from "../support/scale.ts";
import { type Service, startService } from "../support/service.ts";
import { turn } from "../support/turns.ts";
import { until } from "../support/until.ts";
import { GAS_KEY, PAYEE, wallet } from "../support/wallets.ts";
import { type DoomedService, startDoomed } from "./doomed.ts";
import { sampleOperations } from "./sample-operations.ts";

const PRICE = 50_000;
const DEPOSIT = 100_000_000;
const PAYERS = 4;
/** Of the service. SCALE=10 has 30, and 5 of Postgres. */
const KILLS = scaled(3, 1);
/** Postgres is killed as well at the first of so many kills. */
const EVERY = 6;
/** Calls between two kills. */
const CALLS = 6;

let dir: string;
let server: EmbeddedPostgres;
let workshop: Workshop;
let survivor: Service;
let victim: DoomedService;
const children: ChildProcess[] = [];
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), "tallystick-channel-killed-"));
  await chmod(dir, 0o755);
  [server, workshop] = await Promise.all([
    embeddedPostgres({ dir: join(dir, "postgres"), onLost: () => undefined }),
    openWorkshop(),
  ]);
  const chain = { rpc_url: workshop.node.rpc_url, gas_key: GAS_KEY, pay_to: PAYEE };
  survivor = await startService({ operations: sampleOperations, database_url: server.ownerUrl, chain });
});
afterAll(async () => {
  for (const child of children) child.kill("SIGKILL");
  await survivor?.stop();
  await server?.leave();
  await workshop?.close();
  await rm(dir, { recursive: true, force: true });
});

const start = () => startDoomed("none", { database_url: server.ownerUrl }, workshop, children);

async function killPostgres(): Promise<void> {
  const pid = Number((await readFile(join(dir, "postgres", "postmaster.pid"), "utf8")).split("\n")[0]);
  const backends = execFileSync("ps", ["-o", "pid=", "--ppid", String(pid)])
    .toString()
    .trim()
    .split(/\s+/);
  for (const one of [pid, ...backends.map(Number)]) process.kill(one, "SIGKILL");
}

const idOf = ({ config, id }: ChannelPayer) =>
  channels.idOf({ network: "eip155:8453", channel_id: id, config });

/** An answered call: the sum of its voucher, and its event. */
type Answered = { charged: number; event_id: string | null };

/** Pays call after call; a payer that lost count goes on from the corrective 402, as the specification has it. */
async function spend(payer: ChannelPayer, terms: ChannelTerms, answered: Answered[], going: () => boolean) {
  for (let n = 0; going(); n++) {
    const url = `${victim.url}/v1/agent/test/echo?say=${payer.id.slice(2, 8)}-${n}`;
    const answer = await payer.pay(url, terms).catch(() => undefined);
    if (answer?.ok) {
      await answer.arrayBuffer().catch(() => undefined);
      const { chargedAmount, channelState } = chargeOf(answer).extra!;
      expect(chargedAmount).toBe(String(PRICE));
      const charged = Number(channelState.chargedCumulativeAmount);
      answered.push({ charged, event_id: answer.headers.get("event-id") });
      continue;
    }
    if (answer?.status === 402) {
      const { error, terms: corrected } = requiredOf(answer);
      expect(error).toMatch(/cumulative_amount_mismatch$/);
      const known = Number(corrected.extra.channelState!.chargedCumulativeAmount);
      // An answered call stays charged, and an unanswered one is charged at most once.
      expect([payer.charged, payer.charged + PRICE]).toContain(known);
      payer.charged = known;
    }
    await answer?.body?.cancel().catch(() => undefined);
    await new Promise((wake) => setTimeout(wake, 20));
  }
}

test(`${KILLS} kills of the service, and of Postgres with each ${EVERY}th, neither lose a voucher nor accept one twice`, async () => {
  victim = await start();
  const terms = await termsOf(`${victim.url}/v1/agent/test/echo?say=terms`);
  const payers = Array.from({ length: PAYERS }, (_, i) => new ChannelPayer(wallet(i), terms));
  const answered: Answered[][] = payers.map(() => []);
  for (const [i, payer] of payers.entries()) {
    const answer = await payer.pay(`${victim.url}/v1/agent/test/echo?say=first`, terms, {
      deposit: DEPOSIT,
    });
    expect(answer.status).toBe(200);
    answered[i]!.push({ charged: PRICE, event_id: answer.headers.get("event-id") });
  }
  let isGoing = true;
  const spending = payers.map((payer, i) => spend(payer, terms, answered[i]!, () => isGoing));
  const count = () => answered.flat().length;
  const more = async () => {
    const before = count();
    await Promise.race([
      until(() => count() >= before + CALLS),
      ...spending.map((one) => one.then(() => {})),
    ]);
  };
  for (let kill = 0; kill < KILLS; kill++) {
    await more();
    if (kill % EVERY === 0) {
      await killPostgres();
      await more();
    }
    victim.child.kill("SIGKILL");
    await victim.ended;
    victim = await start();
  }
  await more();
  isGoing = false;
  await Promise.all(spending);

  await until(async () => (await survivor.app.store.head()).position > 0);
  for (const [i, payer] of payers.entries()) {
    const { tenant, id } = channels.targetOf(idOf(payer));
    const recorded = await survivor.app.store.readStream({
      tenant,
      stream_id: channels.streamOf(id),
      limit: 100_000,
    });
    const vouchers = survivor.app
      .eventsOf(channels, recorded)
      .flatMap((event) => (event.type === "VoucherAccepted" ? [event] : []));
    expect(vouchers.map(({ data }) => data.charged_micro)).toEqual(vouchers.map((_, n) => (n + 1) * PRICE));
    const events = new Map(vouchers.map(({ data, event_id }) => [data.charged_micro, event_id]));
    for (const { charged, event_id } of answered[i]!) expect(events.get(charged)).toBe(event_id);
    // A kill leaves at most the call that was under way unanswered, and so does one of Postgres.
    expect(vouchers.length - answered[i]!.length).toBeLessThanOrEqual(KILLS + Math.ceil(KILLS / EVERY));
  }

  replace(survivor.app, { gas: { ...survivor.app.gas, cost_micro: async () => 0n } });
  await turn(survivor.app, channelsReactor({ read_every_ms: 0, claim_after_ms: 0 }), { patient: true });
  const ids = payers.map(({ id }) => id);
  const claimed = await readChannels(workshop.chain, ids);
  const charged = await Promise.all(
    payers.map((payer) => survivor.app.load(channels, channels.targetOf(idOf(payer)))),
  );
  expect(claimed.map(({ claimed_micro }) => claimed_micro)).toEqual(charged.map((one) => one!.charged_micro));
  const total = BigInt(charged.reduce((sum, one) => sum + one!.charged_micro, 0));
  expect(await books(survivor.app)).toMatchObject({
    agree: true,
    channels: {
      chain_micro: total,
      log_micro: total,
      charged_micro: total,
      owed_micro: 0n,
      moved_micro: total,
    },
  });
}, 1_500_000);
