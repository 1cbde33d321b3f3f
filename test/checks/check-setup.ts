/** A service on its own chain, and the requests of check tests to both. */
import type { z } from "zod";
import type { checkShown, transaction } from "../../src/api/operations/checks/fields.ts";
import type { App } from "../../src/core/app.ts";
import type { Hex } from "../../src/core/model/chain.ts";
import * as checks from "../../src/domain/checks/check.ts";
import * as following from "../../src/domain/checks/following.ts";
import type { TypedData } from "../../src/domain/checks/typed-data.ts";
import { checksProjection } from "../../src/projections/checks/checks.ts";
import { type FollowMemory, followChecks } from "../../src/reactors/checks/follow.ts";
import { runningNode } from "../chain/fixture.ts";
import { type Service, type ServiceOptions, startService } from "../support/service.ts";
import { turnOf } from "../support/turns.ts";
import { LIMIT_MS, until } from "../support/until.ts";
import { wallet } from "../support/wallets.ts";

export type Shown = z.infer<typeof checkShown>;
export type Transaction = z.infer<typeof transaction>;

/** The union of all answers; each test reads the fields of its own operation. */
type Body = {
  data: Shown & {
    typed_data: TypedData;
    cancel_typed_data: TypedData;
    transaction: Transaction;
    message: string;
  };
  meta: { warning: string | null; total: number; count: number };
  type: string;
  detail: string;
  errors: { path: string; message: string }[];
};
export type Answered = { status: number; body: Body; headers: Headers };
export type Ask = (
  method: "GET" | "POST",
  path: string,
  body?: object,
  headers?: Record<string, string>,
) => Promise<Answered>;

export type Desk = {
  service: Service & { database_url: string };
  app: App;
  rpc<T>(method: string, ...params: unknown[]): Promise<T>;
  /** A caller by a key of this tenant. */
  as(tenant: string, space?: "live" | "test"): Promise<Ask>;
  /** Sends what the service answered, from one of the demo wallets; answers the transaction once it is mined. */
  send(transaction: Pick<Transaction, "to" | "data">, from: number): Promise<Hex>;
  mine(blocks: number): Promise<void>;
  /** One tick over a read model that has the whole log. */
  follow(memory?: FollowMemory): Promise<string>;
  /** The types of a check's events. */
  story(check_id: string, tenant?: string): Promise<string[]>;
};

export async function openDesk(options: ServiceOptions = {}): Promise<Desk> {
  const service = await startService({ chain: "embedded", ...options });
  const { app } = service;
  const rpc = async <T>(method: string, ...params: unknown[]): Promise<T> => {
    const { port } = await runningNode(service.data_dir);
    const response = await fetch(`http://127.0.0.1:${port}`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
    });
    const { result, error } = (await response.json()) as { result: T; error?: { message: string } };
    if (error) throw new Error(error.message);
    return result;
  };
  const folded = async () => {
    const { position } = await app.store.head();
    await app.runner.reached(checksProjection, position, LIMIT_MS);
  };
  const desk: Desk = {
    service,
    app,
    rpc,
    as: async (tenant, space = "live") =>
      asker(service.url, (await service.issue({ tenant, space })).headers),
    send: async ({ to, data }, from) => {
      const gas = "0x30d40";
      const hash = await rpc<Hex>("eth_sendTransaction", { from: wallet(from).address, to, data, gas });
      // Mining rests while the node's state is saved.
      await until(async () => (await app.chain.receipt(hash)) !== undefined);
      return hash;
    },
    mine: async (blocks) => {
      for (let i = 0; i < blocks; i++) await rpc("evm_mine");
    },
    follow: async (memory = {}) => {
      await folded();
      const { status } = await turnOf(app, "checks", (turn) => followChecks(turn.app, memory), {
        patient: true,
      });
      await folded();
      return status;
    },
    story: async (check_id, tenant = "acme") => {
      const events = await app.store.readStream({ tenant, stream_id: checks.streamOf(check_id) });
      return events.map(({ type }) => type);
    },
  };
  if (!options.reactors) await desk.follow();
  const target = following.targetOf("eip155:8453");
  await until(async () => (await app.load(following, target)) !== undefined);
  return desk;
}

/** Asks the check operations as one caller. */
export const asker =
  (url: string, credentials: Record<string, string>): Ask =>
  async (method, path, body, headers = {}) => {
    const response = await fetch(`${url}/v1/agent/checks/${path}`, {
      method,
      headers: { ...credentials, ...headers, ...(body && { "Content-Type": "application/json" }) },
      ...(body && { body: JSON.stringify(body) }),
    });
    return { status: response.status, body: (await response.json()) as Body, headers: response.headers };
  };
