/** One EVM node per worker, lent to its test files in turn, each time in the state after its contracts were placed. */
import { mkdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { inject } from "vitest";
import { embeddedChain } from "../../src/adapters/embedded-chain.ts";
import type { Hex } from "../../src/core/model/chain.ts";

type Kept = { dir: string; snapshot: Hex };

/** This process's node and its initial state, the only thing that tests share between files. */
let kept: Kept | undefined;
let isLent = false;

/**
 * Puts the worker's node at `place`, where `embeddedChain` joins it; the result returns it. While it is lent, other
 * callers find nothing at `place` and start their own node.
 */
export async function lendNode(place: string): Promise<() => void> {
  if (isLent) return () => {};
  kept = (await reverted()) ?? (await started());
  await symlink(kept.dir, place);
  isLent = true;
  return () => {
    isLent = false;
  };
}

/** Starts the node. The run is a member besides the borrowers, so that none of them is the last to leave. */
async function started(): Promise<Kept> {
  const dir = join(inject("runDir"), "nodes", `${process.pid}-${Date.now()}`);
  await mkdir(join(dir, "members"), { recursive: true });
  await writeFile(join(dir, "members", `${process.ppid}-run`), "");
  const node = await embeddedChain({ dir });
  const snapshot = await ask<Hex>(node.rpc_url, "evm_snapshot");
  await node.leave();
  return { dir, snapshot };
}

/** The node in its initial state, except for the time; nothing if it is gone. */
async function reverted(): Promise<Kept | undefined> {
  if (!kept) return undefined;
  const { dir } = kept;
  try {
    const url = `http://127.0.0.1:${(await runningNode(dir)).port}`;
    await rm(join(dir, "paused"), { force: true });
    await ask(url, "evm_setAutomine", true);
    await ask(url, "anvil_dropAllTransactions");
    if (!(await ask<boolean>(url, "evm_revert", kept.snapshot))) return undefined;
    const snapshot = await ask<Hex>(url, "evm_snapshot");
    // Otherwise the chain's time continues from its last block.
    await ask(url, "evm_setTime", Math.floor(Date.now() / 1000));
    await ask(url, "evm_mine");
    return { dir, snapshot };
  } catch {
    return undefined;
  }
}

/** The node that runs in a chain's folder, as `embeddedChain` stores it. */
export async function runningNode(chainDir: string): Promise<{ pid: number; port: number }> {
  return JSON.parse(await readFile(join(chainDir, "node.json"), "utf8"));
}

/** A request to a node without the port `Chain`. */
export async function ask<T>(url: string, method: string, ...params: unknown[]): Promise<T> {
  const response = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
  });
  const { result, error } = (await response.json()) as { result: T; error?: { message: string } };
  if (error) throw new Error(`${method}: ${error.message}`);
  return result;
}
