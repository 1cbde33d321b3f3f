/** What an auditor's commands need of the adapters: no runtime, no database. */
import { jsonRpc } from "../adapters/json-rpc.ts";
import { heldSigner } from "../adapters/signing-key.ts";
import { type Config, signingKeyFile } from "./config.ts";

/** Questions to an auditor's own endpoint, whichever chain it serves. */
export const askChain = (rpc_url: string) => jsonRpc({ rpc_url });

/** Recovers the public key that made a signature. */
export { recoverKey } from "../adapters/secp256k1.ts";

/** The key that a service with these settings signs with, where it has one already. */
export const signingKeyOf = (config: Config) => heldSigner(signingKeyFile(config), config.SIGNING_KEY);
