/** One question to the endpoint (JSON-RPC); rejects when it does not answer in time. */
export type AskChain = <T>(method: string, params: readonly unknown[]) => Promise<T>;
