/** Key recovery on secp256k1: libsecp256k1 as wasm, the same and as fast on every machine. */
import { createRequire } from "node:module";
import type * as Wasm from "tiny-secp256k1";
import type { RecoverKey } from "../core/model/chain.ts";

const require = createRequire(import.meta.url);

/** Compiled at the first key that is asked for: most processes ask for none. */
let wasm: typeof Wasm | undefined;

export const recoverKey: RecoverKey = (digest, signature, recovery) => {
  wasm ??= require("tiny-secp256k1") as typeof Wasm;
  try {
    return wasm.recover(digest, signature, recovery, false) ?? undefined;
  } catch {
    return undefined;
  }
};
