/** Adapters for an auditor's commands: no runtime, no database. */
import { jsonRpc } from "../adapters/json-rpc.ts";
import { existingSigner } from "../adapters/signing-key.ts";
import { type Config, signingKeyFile } from "./config.ts";

export const askChain = (rpc_url: string) => jsonRpc({ rpc_url });

export { recoverKey } from "../adapters/secp256k1.ts";

/** Undefined before the service's first start. */
export const signingKeyOf = (config: Config) => existingSigner(signingKeyFile(config), config.SIGNING_KEY);
