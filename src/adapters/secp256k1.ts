/** Key recovery on secp256k1 by libsecp256k1 as WebAssembly, equally fast on every machine. */
import { createRequire } from "node:module";
import type * as Wasm from "tiny-secp256k1";
import type { RecoverKey } from "../core/model/chain.ts";

const require = createRequire(import.meta.url);

/** Compiled at first use, because most processes recover no key. */
let wasm: typeof Wasm | undefined;

export const recoverKey: RecoverKey = (digest, signature, recovery) => {
  wasm ??= require("tiny-secp256k1") as typeof Wasm;
  try {
    return wasm.recover(digest, signature, recovery, false) ?? undefined;
  } catch {
    return undefined;
  }
};
