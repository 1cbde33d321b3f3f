/** Questions to a JSON-RPC endpoint of one chain: each ends by its deadline, and every failure is the endpoint's. */
import type { PublicClient } from "viem";
import { inTime } from "../core/coordination/concurrency.ts";
import type { Hex } from "../core/model/chain.ts";
import { ChainUnavailable } from "../core/model/ports/chain.ts";
import { inSpan, traceHeaders } from "../core/tracing.ts";

/** One request; every failure is a ChainUnavailable whose `cause` tells more. */
export type Ask = <T>(method: string, params: readonly unknown[]) => Promise<T>;

export type JsonRpcOptions = {
  rpc_url: string;
  /** The chain it must serve; whichever it says when left out. */
  chain_id?: number;
  /** One HTTP request may take this long; it is tried twice. */
  request_ms?: number;
  /** An answer may take this long, both tries together. */
  deadline_ms?: number;
};

/** Nothing is asked before the first use, and an endpoint that comes back is simply used again. */
export function jsonRpc({ rpc_url, chain_id, request_ms = 4_000, deadline_ms = 9_000 }: JsonRpcOptions): Ask {
  let opened: Promise<PublicClient> | undefined;
  // viem's own timeout ends with the response's headers; a body that trickles is cut off here.
  const request = async <T>(method: string, params: readonly unknown[]) => {
    opened ??= clientOf(rpc_url, request_ms);
    const client = await opened;
    return inSpan(
      method,
      { kind: "CLIENT", attributes: { "rpc.system": "jsonrpc", "rpc.method": method } },
      () => within(deadline_ms, method, client.request({ method, params } as never) as Promise<T>),
    );
  };

  const isOurChain = async () => {
    const id = Number(await request<Hex>("eth_chainId", []));
    if (chain_id !== undefined && id !== chain_id)
      throw new ChainUnavailable(`the RPC endpoint serves chain ${id}, not ${chain_id}`);
  };
  let checked: Promise<void> | undefined;
  return async (method, params) => {
    checked ??= isOurChain().catch((error: unknown) => {
      checked = undefined;
      throw error;
    });
    await checked;
    return request(method, params);
  };
}

/** The whole of viem is large, and is loaded when a chain is first asked. */
async function clientOf(rpc_url: string, timeout: number): Promise<PublicClient> {
  const { createPublicClient, http } = await import("viem");
  const onFetchRequest = (_request: Request, init: RequestInit) => ({
    ...init,
    headers: { ...(init.headers as Record<string, string>), ...traceHeaders() },
  });
  const transport = http(rpc_url, { timeout, retryCount: 1, retryDelay: 100, onFetchRequest });
  return createPublicClient({ transport });
}

/** An answer that cannot be read is as good as none. */
export async function readable<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof ChainUnavailable) throw error;
    throw new ChainUnavailable("the RPC endpoint answers what cannot be read", { cause: error });
  }
}

/** The answer, or a ChainUnavailable once that has taken too long. */
export const answeredWithin = <T>(ms: number, answer: Promise<T>): Promise<T> =>
  inTime(ms, answer, () => new ChainUnavailable(`no answer in ${ms} ms`));

async function within<T>(ms: number, what: string, answer: Promise<T>): Promise<T> {
  try {
    return await answeredWithin(ms, answer);
  } catch (error) {
    const { shortMessage, details, message } = error as Error & { shortMessage?: string; details?: string };
    const reason = details ?? shortMessage ?? message;
    throw new ChainUnavailable(`${what}: ${reason}`, { cause: error });
  }
}
