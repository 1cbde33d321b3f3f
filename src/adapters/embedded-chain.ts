/**
 * A real EVM node (anvil) in a folder: chain id 8453, with USDC, Multicall3 and funded demo wallets at their Base
 * addresses. It outlives the process that started it: other processes join it, and the last one to leave stops it.
 *
 * Its users save the state, because anvil's `--state` writes in place every second. A kill -9 can then leave half a
 * file, and empty blocks make it 150 MB a second after one day.
 */
import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, open, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { gunzip } from "node:zlib";
import type { Hex } from "../core/model/chain.ts";
import { BASE } from "../domain/payments/usdc.ts";
import { fundWithTokens, placeContracts, type Rpc } from "./chain-contracts.ts";
import { identityOf, isAlive, lockFolder } from "./folder-lock.ts";
import { freePort } from "./free-port.ts";
import { rpcOf } from "./local-rpc.ts";

const require = createRequire(import.meta.url);
const unzip = promisify(gunzip);

export type EmbeddedChain = {
  /** The JSON-RPC address, on this machine only. */
  rpc_url: string;
  /**
   * Writes the state to disk now. Otherwise this happens about a second after a change, or later when saving is
   * slow.
   */
  save(): Promise<void>;
  /** The last process to leave saves the state and stops the node. */
  leave(): Promise<void>;
};

export type EmbeddedChainOptions = {
  /** The chain's folder; created on first use. */
  dir: string;
  /** Accounts that pay for gas. Each gets 100 ether when it has less than one, and platform tokens. */
  gas_accounts?: readonly Hex[];
  /** Called when the node was lost; it is being restarted. */
  onLost?: () => void;
};

/**
 * The running node. `ready`: its contracts are placed; `instance`: another process may get its pid; `folder`: a
 * copied folder must not join the original's node.
 */
type Node = { pid: number; port: number; instance: string; folder: string; ready: boolean };

/** Distinguishes this process from an earlier one with the same pid. */
const RUN = randomUUID();

export const EMBEDDED_CHAIN_ID = BASE.chain_id;

const TICK_MS = 1_000;
/** A chain without transactions for this time counts as idle, and is looked at less often. */
const BUSY_MS = 60_000;
const IDLE_TICK_MS = 5_000;
/** Saving grows with the chain's history, so it takes at most a quarter of the node's time, over all its users. */
const SAVE_SHARE = 3;
const START_MS = 20_000;
const STOP_MS = 10_000;
/** Calls are simulated at the newest or next block's time, so an idle chain still needs a block now and then. */
const IDLE_BLOCK_S = 60;
const ETHER = 10n ** 18n;

/** Starts the chain in `dir`, or joins the running one. Until `leave`, a dead node is restarted on its port. */
export async function embeddedChain(options: EmbeddedChainOptions): Promise<EmbeddedChain> {
  const dir = resolve(options.dir);
  const member = join(dir, "members", `${process.pid}-${RUN}-${randomUUID()}`);
  await mkdir(join(dir, "members"), { recursive: true, mode: 0o700 });

  const enter = async (): Promise<Node> => {
    const node = (await runningNode(dir)) ?? (await startNode(dir));
    for (const account of options.gas_accounts ?? []) await fund(rpcOf(node.port), account);
    return node;
  };
  const save = (node: Node) => saveIfNew(dir, node);

  let node = await underLock(dir, async () => {
    const joined = await enter();
    await clearMembers(dir);
    await writeFile(member, "");
    await save(joined);
    return joined;
  });

  let leaving = false;
  /** The head of a saved chain on which nothing is to be mined. */
  let settled: string | undefined;
  let [busy_at, next_at] = [performance.now(), 0];
  const tick = async () => {
    const running = await runningNode(dir);
    if (leaving) return;
    if (!running) {
      options.onLost?.();
      node = await enter();
    }
    const rpc = rpcOf(node.port);
    await endPause(dir, rpc);
    const { isMined, isBusy } = await mineIfDue(rpc);
    if (isBusy) busy_at = performance.now();
    if (await isSaveDue(dir)) await save(node);
    settled = isMined ? undefined : (await lastSave(dir))?.head;
  };
  const tickIfDue = async () => {
    if (performance.now() < next_at) return;
    if (!(await isSettled(dir, node, settled))) return underLock(dir, tick);
    if (performance.now() - busy_at > BUSY_MS) next_at = performance.now() + IDLE_TICK_MS;
  };
  let ticking: Promise<void> | undefined;
  const timer = setInterval(() => {
    // A failed tick is followed by the next; without a node, callers get ChainUnavailable.
    ticking ??= tickIfDue()
      .catch(() => undefined)
      .finally(() => {
        ticking = undefined;
      });
  }, TICK_MS);
  timer.unref();

  return {
    rpc_url: `http://127.0.0.1:${node.port}`,
    save: () => underLock(dir, () => save(node)),
    leave: async () => {
      leaving = true;
      clearInterval(timer);
      await ticking;
      await underLock(dir, async () => {
        await rm(member, { force: true });
        const running = await runningNode(dir);
        if (!running || (await clearMembers(dir)) > 0) return;
        try {
          await save(running);
        } finally {
          await stopNode(running.pid);
        }
      });
    },
  };
}

/** One request shows that the node runs, and that nothing happened since the last whole tick. */
async function isSettled(dir: string, { port }: Node, settled: string | undefined): Promise<boolean> {
  if (settled === undefined || existsSync(pauseFile(dir))) return false;
  const head = await blockOf(rpcOf(port), "latest").catch(() => undefined);
  return head?.hash === settled && !isStale(head);
}

async function saveIfNew(dir: string, { port }: Node): Promise<void> {
  const rpc = rpcOf(port);
  const { hash } = await blockOf(rpc, "latest");
  if (hash === (await lastSave(dir))?.head) return;
  const begun = performance.now();
  const head = await saveState(dir, rpc);
  await writeAtomically(savedFile(dir), JSON.stringify({ head, took_ms: performance.now() - begun }));
}

async function isSaveDue(dir: string): Promise<boolean> {
  const last = await lastSave(dir);
  return !last || last.ago_ms < 0 || last.ago_ms >= SAVE_SHARE * last.took_ms;
}

async function underLock<T>(dir: string, work: () => Promise<T>): Promise<T> {
  const release = await lockFolder(`${dir}.lock`);
  try {
    return await work();
  } finally {
    await release();
  }
}

const nodeFile = (dir: string) => join(dir, "node.json");
const zippedFile = (dir: string) => join(dir, "state.json.gz");
/** The node's initial state, unzipped by this version or written by an earlier one. */
const stateFile = (dir: string) => join(dir, "state.json");
/** The head of the saved state, and how long saving took. */
const savedFile = (dir: string) => join(dir, "saved.json");
/** Exists while mining is paused for a save. */
const pauseFile = (dir: string) => join(dir, "paused");

async function recordedNode(dir: string): Promise<Node | undefined> {
  const text = await readFile(nodeFile(dir), "utf8").catch(() => undefined);
  return text === undefined ? undefined : (JSON.parse(text) as Node);
}

/** The folder's running node. A node whose starter died before its contracts were placed is stopped first. */
async function runningNode(dir: string): Promise<Node | undefined> {
  const node = await recordedNode(dir);
  if (!node || !isAlive(node.pid) || node.folder !== (await identityOf(dir))) return undefined;
  if ((await instanceOf(rpcOf(node.port)).catch(() => "")) !== node.instance) return undefined;
  if (node.ready) return node;
  await stopNode(node.pid);
  return undefined;
}

async function startNode(dir: string): Promise<Node> {
  const before = (await recordedNode(dir))?.port ?? 0;
  try {
    return await startNodeOn(await freePort(before), dir);
  } catch {
    // Another process may take the port between the search and the bind.
    return startNodeOn(await freePort(0), dir);
  }
}

async function startNodeOn(port: number, dir: string): Promise<Node> {
  const options = {
    host: "127.0.0.1",
    port,
    "chain-id": EMBEDDED_CHAIN_ID,
    "slots-in-an-epoch": 1,
    "gas-limit": 300_000_000,
    ...((await unzipState(dir)) && { "load-state": stateFile(dir) }),
  };
  const args = Object.entries(options).flatMap(([name, value]) => [`--${name}`, String(value)]);
  const logFile = join(dir, "node.log");
  const log = await open(logFile, "w");
  const child = spawn(chainBinary(), ["--quiet", ...args], {
    cwd: dir,
    detached: true,
    stdio: ["ignore", log.fd, log.fd],
  });
  child.unref();
  const failed = new Promise<never>((_, fail) =>
    child.once("error", fail).once("exit", () => fail(undefined)),
  );
  failed.catch(() => undefined);
  await log.close();
  try {
    const rpc = rpcOf(port);
    const instance = await Promise.race([failed, firstAnswer(rpc)]);
    const node = { pid: child.pid!, port, instance, folder: await identityOf(dir), ready: false };
    await writeAtomically(nodeFile(dir), JSON.stringify(node));
    await placeContracts(rpc);
    await writeAtomically(nodeFile(dir), JSON.stringify({ ...node, ready: true }));
    if (existsSync(zippedFile(dir))) await rm(stateFile(dir), { force: true });
    return { ...node, ready: true };
  } catch (error) {
    if (child.pid) await stopNode(child.pid);
    const lines = (await readFile(logFile, "utf8").catch(() => "")).trim().split("\n").slice(-12);
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(`the embedded chain in ${dir} did not start: ${reason}\n${lines.join("\n")}`, {
      cause: error,
    });
  }
}

/** False where no state exists. */
async function unzipState(dir: string): Promise<boolean> {
  if (existsSync(zippedFile(dir)))
    await writeAtomically(stateFile(dir), await unzip(await readFile(zippedFile(dir))));
  return existsSync(stateFile(dir));
}

/** The path of the development chain's program; throws where this platform has none. */
export function chainBinary(): string {
  const processor = process.arch === "x64" ? "amd64" : process.arch;
  const name = `@foundry-rs/anvil-${process.platform}-${processor}`;
  try {
    return require.resolve(`${name}/bin/anvil${process.platform === "win32" ? ".exe" : ""}`);
  } catch {
    throw new Error(
      `no embedded chain for ${process.platform}-${process.arch}: set BASE_RPC_URL to a node of Base`,
    );
  }
}

async function firstAnswer(rpc: Rpc): Promise<string> {
  for (const deadline = performance.now() + START_MS; ; ) {
    try {
      return await instanceOf(rpc);
    } catch (error) {
      if (performance.now() > deadline) throw error;
      await pause(25);
    }
  }
}

async function stopNode(pid: number): Promise<void> {
  const signal = (name: NodeJS.Signals) => {
    if (isAlive(pid)) process.kill(pid, name);
  };
  signal("SIGTERM");
  for (const deadline = performance.now() + STOP_MS; isAlive(pid) && performance.now() < deadline; )
    await pause(20);
  signal("SIGKILL");
}

/** Removes members that died without leaving; returns how many remain. */
async function clearMembers(dir: string): Promise<number> {
  const folder = join(dir, "members");
  const names = await readdir(folder);
  const gone = names.filter((name) => {
    const pid = Number.parseInt(name, 10);
    // In a container, the dead process and this one may have the same pid.
    return pid === process.pid ? !name.includes(RUN) : !isAlive(pid);
  });
  for (const name of gone) await rm(join(folder, name), { force: true });
  return names.length - gone.length;
}

/** anvil mines each transaction at once. Two more blocks finalize it, and then the chain is idle. */
async function mineIfDue(rpc: Rpc): Promise<{ isMined: boolean; isBusy: boolean }> {
  const head = await blockOf(rpc, "latest");
  const before = head.number > 0 ? await blockOf(rpc, `0x${(head.number - 1).toString(16)}`) : head;
  const isBusy = head.transactions > 0 || before.transactions > 0;
  const isMined = isBusy || isStale(head);
  if (isMined) await rpc("evm_mine", []);
  return { isMined, isBusy };
}

const isStale = ({ timestamp }: { timestamp: number }) => Date.now() / 1000 - timestamp > IDLE_BLOCK_S;

async function blockOf(rpc: Rpc, tag: string) {
  const block = (await rpc("eth_getBlockByNumber", [tag, false])) as Record<string, string> & {
    transactions: string[];
  };
  return {
    hash: String(block.hash),
    number: Number(block.number),
    timestamp: Number(block.timestamp),
    transactions: block.transactions.length,
  };
}

/** The last save by any process, and how long ago that was. */
async function lastSave(dir: string): Promise<{ head: string; took_ms: number; ago_ms: number } | undefined> {
  const [text, file] = await Promise.all([readFile(savedFile(dir), "utf8"), stat(savedFile(dir))]).catch(
    () => [],
  );
  if (text === undefined || file === undefined) return undefined;
  return { ...(JSON.parse(text) as { head: string; took_ms: number }), ago_ms: Date.now() - file.mtimeMs };
}

/** Writes the state and returns its head. It stays zipped, because a long history takes hundreds of megabytes. */
async function saveState(dir: string, rpc: Rpc): Promise<string> {
  const { head, zipped } = await dumpState(dir, rpc);
  await writeAtomically(zippedFile(dir), zipped);
  return head;
}

/**
 * The node's state and its head. anvil mixes blocks in a dump while it mines: so mining is paused, and a dump is
 * discarded if the head moved.
 */
async function dumpState(dir: string, rpc: Rpc): Promise<{ head: string; zipped: Buffer }> {
  const automine = await rpc("anvil_getAutomine", []);
  if (automine) await writeFile(pauseFile(dir), "");
  await rpc("evm_setAutomine", [false]);
  try {
    for (;;) {
      const head = await blockOf(rpc, "latest");
      const zipped = (await rpc("anvil_dumpState", [])) as Hex;
      if ((await blockOf(rpc, "latest")).hash === head.hash)
        return { head: head.hash, zipped: Buffer.from(zipped.slice(2), "hex") };
    }
  } finally {
    await endPause(dir, rpc);
  }
}

/** Resumes mining with the queued transactions, after a save or for a process that died in one. */
async function endPause(dir: string, rpc: Rpc): Promise<void> {
  if (!existsSync(pauseFile(dir))) return;
  await rpc("evm_setAutomine", [true]);
  const { pending } = (await rpc("txpool_status", [])) as { pending: Hex };
  if (Number(pending) > 0) await rpc("evm_mine", []);
  await rm(pauseFile(dir));
}

async function writeAtomically(path: string, content: string | Buffer): Promise<void> {
  const file = await open(`${path}.new`, "w", 0o600);
  await file.writeFile(content);
  await file.sync();
  await file.close();
  await rename(`${path}.new`, path);
}

async function fund(rpc: Rpc, account: Hex): Promise<void> {
  const balance = BigInt((await rpc("eth_getBalance", [account, "latest"])) as Hex);
  if (balance < ETHER) await rpc("anvil_setBalance", [account, `0x${(100n * ETHER).toString(16)}`]);
  await fundWithTokens(rpc, account);
}

async function instanceOf(rpc: Rpc): Promise<string> {
  return ((await rpc("anvil_metadata", [])) as { instanceId: string }).instanceId;
}

const pause = (ms: number) => new Promise((wake) => setTimeout(wake, ms));
