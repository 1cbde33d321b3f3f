/** What an auditor's commands need of the adapters: no runtime, no database. */
import { jsonRpc } from "./adapters/json-rpc.ts";
import { keyRecovery } from "./adapters/secp256k1.ts";

/** Questions to an auditor's own endpoint, whichever chain it serves. */
export const askChain = (rpc_url: string) => jsonRpc({ rpc_url });

/** The fastest recovery of public keys that this machine has. */
export const recoverKey = () => keyRecovery().recover;
