/** Key recovery on secp256k1: libsecp256k1 as a native addon where a prebuilt one fits this machine, else as wasm. */
import { createRequire } from "node:module";
import type * as Wasm from "tiny-secp256k1";
import type { RecoverKey } from "../domain/chain.ts";

type Native = typeof import("secp256k1");

const require = createRequire(import.meta.url);

export type KeyRecovery = { library: "native" | "wasm"; recover: RecoverKey };

/** The fastest recovery this machine has. */
export const keyRecovery = (): KeyRecovery => nativeRecovery() ?? wasmRecovery();

/** Undefined where the package brings no prebuilt addon. */
export function nativeRecovery(): KeyRecovery | undefined {
  let native: Native;
  try {
    // The package's own entry would fall back to slow JavaScript without a word.
    native = require("secp256k1/bindings.js") as Native;
  } catch {
    return undefined;
  }
  const recover: RecoverKey = (digest, signature, recovery) => {
    try {
      return native.ecdsaRecover(signature, recovery, digest, false);
    } catch {
      return undefined;
    }
  };
  return { library: "native", recover };
}

export function wasmRecovery(): KeyRecovery {
  // Loaded when needed: it is a megabyte of wasm.
  const wasm = require("tiny-secp256k1") as typeof Wasm;
  const recover: RecoverKey = (digest, signature, recovery) => {
    try {
      return wasm.recover(digest, signature, recovery, false) ?? undefined;
    } catch {
      return undefined;
    }
  };
  return { library: "wasm", recover };
}
