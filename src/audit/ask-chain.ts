/** A JSON-RPC request to the endpoint; rejects on a timeout. */
export type AskChain = <T>(method: string, params: readonly unknown[]) => Promise<T>;
