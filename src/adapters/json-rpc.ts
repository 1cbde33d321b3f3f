/** Requests to one chain's JSON-RPC endpoint. Each ends by its deadline, and every failure is ChainUnavailable. */
import type { PublicClient } from "viem";
import { inTime } from "../core/coordination/concurrency.ts";
import type { Hex } from "../core/model/chain.ts";
import { ChainUnavailable } from "../core/model/ports/chain.ts";
import { inSpan, traceHeaders } from "../core/tracing.ts";

/** Every failure is a ChainUnavailable with a `cause`. */
export type Ask = <T>(method: string, params: readonly unknown[]) => Promise<T>;

export type JsonRpcOptions = {
  rpc_url: string;
  /** The chain that the endpoint must serve. Default: any. */
  chain_id?: number;
  /** The timeout of one HTTP request, which is tried twice. */
  request_ms?: number;
  /** The deadline for both tries together. */
  deadline_ms?: number;
};

/** The first use connects, and a recovered endpoint is used again. */
export function jsonRpc({ rpc_url, chain_id, request_ms = 4_000, deadline_ms = 9_000 }: JsonRpcOptions): Ask {
  let opened: Promise<PublicClient> | undefined;
  // viem's own timeout ends with the response's headers; this one also limits the body.
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

/** viem is large, so it is loaded with the first request. */
async function clientOf(rpc_url: string, timeout: number): Promise<PublicClient> {
  const { createPublicClient, http } = await import("viem");
  const onFetchRequest = (_request: Request, init: RequestInit) => ({
    ...init,
    headers: { ...(init.headers as Record<string, string>), ...traceHeaders() },
  });
  const transport = http(rpc_url, { timeout, retryCount: 1, retryDelay: 100, onFetchRequest });
  return createPublicClient({ transport });
}

/** An unreadable answer counts as no answer. */
export async function readable<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof ChainUnavailable) throw error;
    throw new ChainUnavailable("the RPC endpoint's answer is unreadable", { cause: error });
  }
}

/** The answer, or ChainUnavailable after the timeout. */
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
