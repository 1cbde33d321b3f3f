/**
 * A busy service's log, decided by the domain itself: keys, paid calls, rolls, bets, orders, agents, attestations,
 * tasks on nodes and the accounts that pay for them. A commit has one command's events, by its actor.
 */
import { createHash } from "node:crypto";
import type { EventStore } from "../eventstore/store.ts";
import type { JsonObject, StreamAppend } from "../eventstore/types.ts";
import type { DomainEvent, Entity } from "../src/core/model/entity.ts";
import * as apiKey from "../src/domain/access/key.ts";
import * as order from "../src/domain/commerce/order.ts";
import * as product from "../src/domain/commerce/product.ts";
import * as stock from "../src/domain/commerce/stock.ts";
import * as node from "../src/domain/compute/node.ts";
import * as task from "../src/domain/compute/task.ts";
import * as agent from "../src/domain/identity/agent.ts";
import * as lounge from "../src/domain/lounge/account.ts";
import { ATTO } from "../src/domain/lounge/token.ts";
import * as account from "../src/domain/payments/account.ts";
import * as confirmation from "../src/domain/payments/confirmation.ts";
import * as payment from "../src/domain/payments/payment.ts";
import * as roll from "../src/domain/rng/roll.ts";
import * as seeds from "../src/domain/rng/seeds.ts";
import * as attestation from "../src/domain/trust/attestation.ts";
import * as trust from "../src/domain/trust/trust.ts";

type Target = { tenant: string; id: string };

const NETWORK = "eip155:8453";
const START = Date.parse("2026-01-01T00:00:00.000Z");
const PRODUCTS = 20;
const TENANTS = 2_000;
const NODES = 200;
const SKILLS = ["honesty", "speed", "care", "translation"];
const secret = createHash("sha256").update("a seed of the bench").digest();
const seed_hash = createHash("sha256").update(secret).digest("hex");

/** The decisions of commands in order, and the resulting states; finished ones are dropped. */
export class MixedLog {
  readonly #states = new Map<string, unknown>();
  #commits: { appends: StreamAppend[]; meta: JsonObject }[] = [];
  #open = new Map<string, StreamAppend>();
  #n = 0;
  #random = 88_172_645;
  #agents = 0;

  /** The next number below `n`; the same each time (xorshift32, Marsaglia 2003). */
  #below(n: number): number {
    let x = this.#random;
    x ^= x << 13;
    x ^= x >>> 17;
    x ^= x << 5;
    this.#random = x;
    return (x >>> 0) % n;
  }

  /** 64 hex digits in place of a digest, an id or a nonce. */
  #hex(length = 64): string {
    let hex = "";
    while (hex.length < length) hex += (this.#below(2 ** 31) + 2 ** 31).toString(16);
    return hex.slice(0, length);
  }
  #chainHash = (): `0x${string}` => `0x${this.#hex()}`;
  #wallet = (n: number): `0x${string}` => `0x${n.toString(16).padStart(40, "a")}`;

  #at(more_s = 0): string {
    return new Date(START + this.#n * 20 + more_s * 1_000).toISOString();
  }

  #decide<State, E extends DomainEvent>(
    entity: Entity<State, E>,
    target: Target,
    decision: (state: State) => E[],
  ): void {
    const stream_id = entity.streamOf(target.id);
    const stream = `${target.tenant}\n${stream_id}`;
    const state = (this.#states.get(stream) ?? entity.initialState()) as State;
    const events = decision(state);
    if (events.length === 0) return;
    this.#n += events.length;
    this.#states.set(
      stream,
      events.reduce<State>((now, event) => entity.evolve(now, event), state),
    );
    const append = this.#open.get(stream) ?? {
      ...{ tenant: target.tenant, stream_id, expected_version: "any" as const, events: [] },
    };
    this.#open.set(stream, append);
    for (const { type, data } of events)
      append.events.push({ type, schema_version: newestOf(entity, type), payload: data as JsonObject });
  }

  #forget(entity: { streamOf(id: string): string }, { tenant, id }: Target): void {
    this.#states.delete(`${tenant}\n${entity.streamOf(id)}`);
  }

  /** Ends one command's commit. */
  #commit(actor: string, operation: string): void {
    const appends = [...this.#open.values()];
    this.#open = new Map();
    if (appends.length > 0) this.#commits.push({ appends, meta: { actor, operation } });
  }

  /** The commits of the next stories. */
  next(): { appends: StreamAppend[]; meta: JsonObject }[] {
    if (this.#n === 0) this.#begin();
    const stories: [number, () => void][] = [
      [1, () => this.#key()],
      [3, () => this.#paidCall()],
      [4, () => this.#rolled()],
      [4, () => this.#played()],
      [1, () => this.#ordered()],
      [1, () => this.#registered()],
      [5, () => this.#attested()],
      [2, () => this.#worked()],
    ];
    for (const [times, tell] of stories) for (let n = 0; n < times; n++) tell();
    const commits = this.#commits;
    this.#commits = [];
    return commits;
  }

  #begin(): void {
    const space = "live" as const;
    const target = seeds.targetOf(space);
    const at = this.#at();
    this.#decide(seeds, target, seeds.publish({ space, head_hash: seed_hash, length: 9, published_at: at }));
    const committed = { ...{ space, chain: 1, head_hash: seed_hash, network: NETWORK, committed_at: at } };
    const where = { contract: this.#wallet(1), signer: this.#wallet(2), block_number: 1 };
    const block_hash = `0x${seed_hash}` as const;
    this.#decide(seeds, target, seeds.commit({ ...committed, ...where, block_hash }, at));
    const use = { activated_at: at, max_rolls: 1e9, retires_at: this.#at(1e7) };
    this.#decide(seeds, target, seeds.activateFirst(use));
    this.#commit("operator", "seeds");
    for (let product_id = 1; product_id <= PRODUCTS; product_id++) this.#listed(product_id);
    for (let n = 0; n < NODES; n++) this.#offered(this.#registered());
  }

  #listed(product_id: number): void {
    const target = { tenant: "operator", id: String(product_id) };
    const about = {
      slug: `pellets-${product_id}`,
      type: "granulas" as const,
      name: "Pellets",
      cn_code: "44013100",
    };
    const measured = {
      base_unit: "bag" as const,
      units: [{ unit: "bag" as const, base: 1 }],
      kg_per_base: 15,
    };
    const facts = {
      product_id,
      ...about,
      ...measured,
      kwh_per_kg: 4.8,
      vat_bp: 2_100,
      listed_at: this.#at(),
    };
    this.#decide(product, target, product.list(facts));
    this.#decide(
      product,
      target,
      product.price({ unit: "bag", net_cents: 495, from: this.#at(), set_at: this.#at() }),
    );
    const received = { location: "riga", quantity: 100_000_000, reference: null, received_at: this.#at() };
    this.#decide(stock, target, stock.receive(received));
    this.#commit("operator", "products_list");
  }

  #key(): void {
    const key_id = this.#hex(32);
    const target = { tenant: "operator", id: key_id };
    const owner = {
      tenant: `tenant-${this.#below(TENANTS)}`,
      space: "live" as const,
      label: "a key of the bench",
    };
    const limits = { scopes: ["read" as const, "order" as const], daily: null, monthly: 10_000 };
    const facts = { key_id, ...owner, ...limits, secret_sha256: this.#hex(), issued_at: this.#at() };
    this.#decide(apiKey, target, apiKey.issue(facts));
    this.#commit("operator", "keys_issue");
    if (this.#below(10) === 0) {
      this.#decide(apiKey, target, apiKey.revoke(this.#at()));
      this.#commit("operator", "keys_revoke");
    }
    this.#forget(apiKey, target);
  }

  #mined = () => ({
    transaction: this.#chainHash(),
    block_number: 1_000 + Math.floor(this.#n / 100),
    block_hash: this.#chainHash(),
    fee_wei: "1000000000",
  });

  /** A paid call; one in a hundred does not settle, and one is refunded. */
  #paidCall(): void {
    const payer = this.#wallet(1_000 + this.#below(5_000));
    const [asset, pay_to] = [this.#wallet(3), this.#wallet(4)];
    const name = { network: NETWORK, asset, payer, nonce: this.#chainHash() };
    const target = payment.targetOf(payment.idOf(name));
    const { tenant } = target;
    const operation = ["trade_top_partners", "trade_seasonality", "fusion_market_intel"][this.#below(3)]!;
    const request = {
      operation,
      request_sha256: this.#hex(),
      tenant,
      seen_block: 1_000,
      claimed_at: this.#at(),
    };
    const valid = { valid_after: "0", valid_before: "1999999999", signature: `0x${this.#hex(130)}` as const };
    const holder = "3b241101-e2bb-4255-8caf-4136c566a962";
    const claim = { ...name, pay_to, amount_micro: 20_000, ...valid, ...request, holder };
    this.#decide(payment, target, payment.claim(claim));
    this.#commit(tenant, operation);
    const luck = this.#below(100);
    if (luck === 0) this.#decide(payment, target, payment.giveUp("it expired", this.#at()));
    else {
      const answer = { status: 200, sha256: this.#hex(), vintage: null };
      this.#decide(payment, target, payment.settle(this.#mined(), answer, this.#at()));
      if (luck === 1) this.#decide(payment, target, payment.refundAnswered("it came back", this.#at()));
    }
    this.#commit(tenant, operation);
    if (luck === 2) this.#confirmed();
    this.#forget(payment, target);
  }

  #confirmed(): void {
    const target = confirmation.targetOf(NETWORK);
    const block_number = 990 + Math.floor(this.#n / 100);
    const block = { network: NETWORK, block_number, block_hash: this.#chainHash(), timestamp: 1_767_225_600 };
    const sums = { payments: 100, settled_micro: 2_000_000, refunds: 1, refunded_micro: 20_000 };
    const facts = {
      ...block,
      as_of_position: this.#n,
      claimed_before: this.#at(),
      ...sums,
      confirmed_at: this.#at(),
    };
    this.#decide(confirmation, target, (before) => confirmation.confirm(facts, before)(before));
    this.#commit("service", "confirm");
  }

  #drawing = () => ({
    seed: (this.#states.get(`operator\n${seeds.streamOf("live")}`) as seeds.SeedState).active!,
    secret,
  });

  #rolled(): void {
    const tenant = `tenant-${this.#below(TENANTS)}`;
    const client_seed = this.#hex(8);
    const target = { tenant, id: roll.rollsId(seed_hash, "dice", client_seed) };
    const request = {
      roll_id: this.#hex(32),
      tenant,
      params: { sides: 6, count: 1 },
      client_seed,
      rolled_at: this.#at(),
    };
    this.#decide(roll, target, roll.roll({ ...request, game: "dice" }, this.#drawing()));
    this.#commit(`key:${this.#hex(8)}`, "rng_roll");
    this.#forget(roll, target);
  }

  #played(): void {
    const tenant = `tenant-${this.#below(TENANTS)}`;
    const params = { direction: "under", target: 50 };
    const request = { roll_id: this.#hex(32), tenant, params, client_seed: "bench", rolled_at: this.#at() };
    const wanted = { ...request, game: "lounge-dice" as const, stake: ATTO / 1_000n };
    this.#decide(lounge, lounge.targetOf(tenant), lounge.bet(wanted, this.#drawing()));
    this.#commit(`key:${this.#hex(8)}`, "lounge_dice");
  }

  /** An order from its placing to its delivery, unless it stays unpaid. */
  #ordered(): void {
    const product_id = 1 + this.#below(PRODUCTS);
    const order_id = 1 + this.#n;
    const tenant = `tenant-${this.#below(TENANTS)}`;
    const actor = `key:${this.#hex(8)}`;
    const [own, goods] = [order.targetOf(tenant, order_id), { tenant: "operator", id: String(product_id) }];
    const [until, at] = [this.#at(1_800), this.#at()];
    const wanted = { order_id, tenant, unit: "bag" as const, base: 1, quantity: 2, until };
    this.#decide(stock, goods, stock.reserve(wanted, at));
    const what = { order_id, product_id, slug: `pellets-${product_id}`, unit: "bag" as const, quantity: 2 };
    const sums = {
      base_quantity: 2,
      net_cents: 990,
      vat_cents: 208,
      gross_cents: 1_198,
      usdc_micro: 13_900_000,
    };
    const customer = {
      subject_id: this.#hex(32),
      seal_id: this.#hex(32),
      iv: "i".repeat(16),
      ct: "c".repeat(120),
      tag: "t".repeat(22),
    };
    const how = { eur_usd: "1.16", rate_as_of: "2026-01-01", payment: "invoice" as const, quote_id: null };
    const lines = [{ location: "riga", quantity: 2 }];
    this.#decide(
      order,
      own,
      order.place({ ...what, ...sums, ...how, lines, until, customer, placed_at: at }),
    );
    this.#commit(actor, "orders_create");
    if (this.#below(10) === 0) {
      this.#decide(stock, goods, stock.release(order_id, "expired", at));
      this.#decide(order, own, order.expire(order.expiresAt({ until })));
      this.#commit("service", "expire_orders");
      this.#forget(order, own);
      return;
    }
    this.#decide(stock, goods, stock.confirm(order_id, at));
    this.#decide(order, own, order.settleInvoice("bench", at));
    this.#commit("operator", "orders_paid");
    this.#decide(stock, goods, stock.ship(order_id, at));
    this.#decide(order, own, order.ship({ carrier: "bench", tracking: null, shipped_at: at }));
    this.#commit("operator", "orders_ship");
    this.#decide(order, own, order.deliver(at));
    this.#commit("operator", "orders_deliver");
    this.#forget(order, own);
  }

  /** The number of its passport. */
  #registered(): number {
    const sx_number = ++this.#agents;
    const agent_id = `agent-${sx_number}`;
    const [at, target] = [this.#at(), agent.targetOf(agent_id)];
    const facts = { agent_id, sx_number, display_name: null, passport_hash: this.#hex(), registered_at: at };
    this.#decide(agent, target, agent.register(facts));
    this.#commit("anonymous", "soul_register");
    const kid = this.#wallet(1_000 + sx_number);
    const how = {
      method: "eip191" as const,
      challenge_sha256: this.#hex(),
      endorsed_by: null,
      proven_at: at,
    };
    const proven = { kid, kind: "evm" as const, public: kid, ...how };
    this.#decide(agent, target, agent.prove(proven, { by_api_key: false, rotating: null }));
    this.#commit(`wallet:${kid}`, "soul_prove");
    if (sx_number % 10 === 1) {
      const seeded = {
        sx_number,
        points_micro: 1 + this.#below(100_000_000),
        reason: "bench",
        seeded_at: at,
      };
      this.#decide(trust, trust.target, trust.seed(seeded));
      this.#commit("operator", "trust_seed");
    }
    this.#forget(agent, target);
    return sx_number;
  }

  #attested(): void {
    const attestation_id = this.#hex(32);
    const target = attestation.targetOf(attestation_id);
    const [from, to] = [1 + this.#below(this.#agents), 1 + this.#below(this.#agents)];
    const said = {
      skill: SKILLS[this.#below(4)]!,
      weight_micro: 100 * (1 + this.#below(100_000)),
      evidence: null,
    };
    const where = { payment_id: null, recipient: null, offchain_uid: null, made_at: this.#at() };
    this.#decide(attestation, target, attestation.make({ attestation_id, from, to, ...said, ...where }));
    this.#commit(`wallet:${this.#wallet(1_000 + from)}`, "trust_attest");
    if (this.#below(20) === 0) {
      this.#decide(attestation, target, attestation.revoke(from, this.#at()));
      this.#commit(`wallet:${this.#wallet(1_000 + from)}`, "trust_revoke");
    }
    this.#forget(attestation, target);
  }

  #offered(sx: number): void {
    const target = node.targetOf(sx);
    const offer = {
      capabilities: ["cpu" as const],
      kinds: [],
      hourly_rate_micro: 3_600_000,
      max_concurrent: 4,
    };
    this.#decide(node, target, node.register({ ...offer, registered_at: this.#at() }));
    this.#decide(node, target, node.goOnline(this.#at()));
    this.#commit(`soul:${sx}`, "soul_node_register");
  }

  /** A task paid from a tenant's account, done by a node and settled. */
  #worked(): void {
    const [tenant, task_id, lease_sha256] = [`tenant-${this.#below(TENANTS)}`, this.#hex(32), this.#hex()];
    const [sx, at, actor] = [1 + this.#below(NODES), this.#at(), `key:${this.#hex(8)}`];
    const [own, purse] = [task.targetOf(tenant, task_id), account.targetOf(tenant)];
    const source = `transfer:${this.#hex(32)}`;
    this.#decide(account, purse, account.credit({ source, amount_micro: 100_000, at }));
    this.#decide(
      account,
      purse,
      account.hold({ hold_id: task.holdOf(task_id), amount_micro: 100_000, for: "task" }, at),
    );
    const how = { verify: "requester" as const, quorum: null, assign: null, min_trust: 0, window_s: 3_600 };
    const terms = { max_price_micro: 100_000, limit_s: 60, ...how, deadline_at: this.#at(86_400) };
    const input = { input_sha256: this.#hex(), input_bytes: 200 };
    const facts = { task_id, terms, copy_of: null, kind: "bench", submitted_at: at, ...input };
    this.#decide(task, own, task.submit(facts));
    this.#commit(actor, "compute_submit");
    this.#decide(
      task,
      own,
      task.lease({ sx, hourly_rate_micro: 3_600_000, lease_sha256, bound: [] }, tenant, at),
    );
    this.#commit(`soul:${sx}`, "soul_node_pull");
    const output = {
      output_sha256: this.#hex(),
      output_bytes: 100,
      exit: "ok" as const,
      used_ms: 90,
      receipt: null,
      seed: null,
    };
    this.#decide(task, own, task.takeResult(lease_sha256, { ...output, submitted_at: at }));
    this.#commit(`soul:${sx}`, "soul_node_result");
    this.#decide(task, own, task.accept("requester", at));
    this.#decide(task, own, task.settle(at));
    const { settled } = this.#states.get(`${tenant}\n${task.streamOf(task_id)}`) as task.Task;
    const { price_micro, provider_micro } = settled!;
    this.#decide(account, purse, account.release(task.holdOf(task_id), price_micro, at));
    const earned = { source: `task:${task_id}`, amount_micro: provider_micro, at };
    this.#decide(account, account.targetOf(`soul:${sx}`), account.credit(earned));
    this.#commit(actor, "compute_accept");
    this.#forget(task, own);
  }
}

const newestOf = ({ events }: { events: Entity<unknown, DomainEvent>["events"] }, type: string): number =>
  Object.keys(events[type]!).filter((key) => /^\d+$/.test(key)).length;

/** Appends the given number of events, with as many concurrent commits as the combiner takes. */
export async function fillMixed(store: EventStore, events: number): Promise<void> {
  const log = new MixedLog();
  for (let position = 0; position < events; ) {
    const commits = Array.from({ length: 12 }, () => log.next()).flat();
    const results = await Promise.all(commits.map((commit) => store.append(commit)));
    for (const result of results) {
      if (result.status !== "appended") throw new Error(`a commit was not appended: ${result.status}`);
      position = Math.max(position, result.events.at(-1)!.position);
    }
  }
}
