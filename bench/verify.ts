import { execFileSync } from "node:child_process";
import { createHash, hash } from "node:crypto";
import { createReadStream, createWriteStream } from "node:fs";
import { mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { finished } from "node:stream/promises";
import { fileURLToPath } from "node:url";
import { openSigner } from "../src/adapters/signing-key.ts";
import { signCheckpoint } from "../src/anchoring/checkpoint.ts";
import { formatVerifierKey, verifierKey } from "../src/anchoring/note.ts";
import { Frontier, leafHash } from "../src/anchoring/tree.ts";
import * as second from "../src/explorer/verifier.js";
import { LogBuilder, type LogRow, logGenesis } from "../test/eventstore/log-builder.ts";

/**
 * Speed of verifying a pack of a million events (payloads of about 200 bytes, 100,000 streams) with a signed
 * checkpoint over all, as a stream: by the verifier, by the second one in one file, and next to bare loops of the
 * same SHA-256 calls: crypto.hash, which the verifier uses, and the more common createHash. Targets: half the speed
 * of the bare loop, in less than 250 MB.
 *
 *     npx tsx bench/verify.ts [events]
 *
 * Each figure is the best of ROUNDS rounds, in sequence, in separate processes.
 */
const ROUNDS = 3;
/** A measurement of minutes is taken once. */
const SLOW = new Set(["second verifier"]);
const STREAMS = 100_000;
const ORIGIN = "bench.example/main/0123456789abcdef";

type RoundFigures = { seconds: number; peak_mb: number; hashes: number };

const TURNS: Record<string, (dir: string) => Promise<RoundFigures>> = {
  verify: async (dir) => {
    const { verifyPack } =
      await compiled<typeof import("../src/audit/verify-pack.ts")>("src/audit/verify-pack");
    const { recoverKey } = await compiled<typeof import("../src/runtime/assemble-audit.ts")>(
      "src/runtime/assemble-audit",
    );
    const { openExport } = await compiled<typeof import("../eventstore/verify/verify-export.ts")>(
      "eventstore/verify/verify-export",
    );
    const begun = performance.now();
    const report = await verifyPack(openExport(join(dir, "log.ndjson")), { recover: recoverKey });
    if (!report.ok) throw new Error(JSON.stringify(report.verdicts));
    return turn(begun, 0);
  },
  "second verifier": async (dir) => {
    const begun = performance.now();
    const report = await second.verifyPack(createReadStream(join(dir, "log.ndjson")));
    if (!report.ok) throw new Error(JSON.stringify(report.verdicts));
    return turn(begun, 0);
  },
  "bare, crypto.hash": (dir) => bare(dir, (bytes) => hash("sha256", bytes, "binary")),
  "bare, createHash": (dir) => bare(dir, (bytes) => createHash("sha256").update(bytes).digest()),
};

/** A file as compiled by `npm install`, with threads: the one that bin/tallystick runs. */
const compiled = <Module>(path: string): Promise<Module> =>
  import(new URL(`../dist/${path}.js`, import.meta.url).href);

/** The SHA-256 calls of a verification: the same number and lengths, over bytes in memory. */
async function bare(dir: string, digest: (bytes: Uint8Array) => unknown): Promise<RoundFigures> {
  const file = await readFile(join(dir, "lengths.bin"));
  const lengths = new Uint16Array(file.buffer, file.byteOffset, file.length / 2);
  const bytes = Buffer.alloc(65_536, "0123456789");
  const views = new Map<number, Uint8Array>();
  for (const length of lengths) if (!views.has(length)) views.set(length, bytes.subarray(0, length));
  const begun = performance.now();
  for (const length of lengths) digest(views.get(length)!);
  return turn(begun, lengths.length);
}

function turn(begun: number, hashes: number): RoundFigures {
  return {
    seconds: (performance.now() - begun) / 1000,
    peak_mb: process.resourceUsage().maxRSS / 1024,
    hashes,
  };
}

/** Writes the export and the length of every input that the verifier hashes. */
async function generate(dir: string, events: number): Promise<void> {
  const out = createWriteStream(join(dir, "log.ndjson"), { highWaterMark: 1 << 20 });
  const evidence = await signed(dir, events);
  const builder = new LogBuilder(ORIGIN);
  const lengths: number[] = [];
  const previous_log_hash = logGenesis(ORIGIN).toString("hex");
  const header = {
    format: "tallystick-log/1",
    log_id: 1,
    origin: ORIGIN,
    exported_at: "2026-01-02T03:04:05.678Z",
  };
  out.write(`${JSON.stringify({ ...header, first_position: 1, previous_log_hash })}\n${evidence}`);
  while (builder.position < events) {
    const lines = builder.append(commitAt(builder.position, events)).map((row) => {
      lengths.push(...hashedLengths(row));
      return `${JSON.stringify(row)}\n`;
    });
    if (!out.write(lines.join(""))) await new Promise((resolve) => out.once("drain", () => resolve(null)));
  }
  const head = { position: builder.position, log_hash: builder.log_hash.toString("hex") };
  out.end(`${JSON.stringify({ end: true, events: builder.position, head })}\n`);
  await finished(out);
  await writeFile(join(dir, "lengths.bin"), Uint16Array.from(lengths));
}

/** The key and a checkpoint over all events, which precede them: they are generated twice. */
async function signed(dir: string, events: number): Promise<string> {
  const builder = new LogBuilder(ORIGIN);
  const tree = new Frontier();
  while (builder.position < events)
    for (const row of builder.append(commitAt(builder.position, events)))
      tree.append(leafHash(Buffer.from(row.event_hash, "hex")));
  const signer = await openSigner(join(dir, "signing.key"), undefined);
  const note = signCheckpoint({ origin: ORIGIN, size: tree.size, root: tree.root(), extensions: [] }, signer);
  const key = formatVerifierKey(verifierKey(ORIGIN, "ed25519", signer.public_key));
  return [
    { evidence: "key", key },
    { evidence: "checkpoint", note },
  ]
    .map((line) => `${JSON.stringify(line)}\n`)
    .join("");
}

/** Mostly one event per commit, every fourth commit two over two streams. */
function commitAt(position: number, events: number) {
  const size = position % 5 === 3 && position + 2 <= events ? 2 : 1;
  return {
    recorded_at_us: 1_767_225_600_000_000 + position * 37,
    meta: { actor: `key:${position % 97}`, operation: "orders.create", request_id: uuidAt(position) },
    idempotency: { idem_key: uuidAt(position + 1), request_hash: position.toString(16).padStart(64, "0") },
    events: Array.from({ length: size }, (_, i) => ({
      tenant: `tenant-${(position + i) % 50}`,
      stream_id: `order-${((position + i) * 7919) % STREAMS}`,
      event_id: uuidAt(position + i),
      type: "OrderPlaced",
      payload: {
        currency: "EUR",
        customer: { country: "LV", name: "Jānis Bērziņš", vat: "LV40003000000" },
        lines: [{ price: "12.500000", product: "44013100", quantity: 24 + (position % 9) }],
        note: "deliver to the yard",
        order_id: uuidAt(position),
      },
    })),
  };
}

function uuidAt(n: number): string {
  return `019b0000-0000-7000-8000-${n.toString(16).padStart(12, "0")}`;
}

function hashedLengths(row: LogRow): number[] {
  const own = Buffer.byteLength(row.tenant) + Buffer.byteLength(row.stream_id);
  const header = 4 + ORIGIN.length + 8 + own;
  const lengths = [13 + Buffer.byteLength(row.payload), 10 + Buffer.byteLength(row.meta)];
  // The leaf and its parent node in the tree.
  lengths.push(33, 65);
  lengths.push(11 + header + 8 + 16 + 4 + row.type.length + 4 + 8 + 96, 9 + 32 + 8 + 32);
  if (row.version === 1) lengths.push(12 + header);
  if (row.commit_size !== null) lengths.push(12 + 4 + (row.idem_key?.length ?? 0) + 32 + 4);
  return lengths;
}

function inChild(name: string, dir: string): RoundFigures {
  const script = fileURLToPath(import.meta.url);
  return JSON.parse(
    execFileSync(process.execPath, [...process.execArgv, script, "--turn", name, dir], { encoding: "utf8" }),
  );
}

async function main(events: number): Promise<void> {
  execFileSync(process.execPath, [fileURLToPath(new URL("../bin/compile.mjs", import.meta.url))]);
  const dir = await mkdtemp(join(tmpdir(), "tallystick-bench-"));
  try {
    await generate(dir, events);
    const { size } = await stat(join(dir, "log.ndjson"));
    const best = new Map<string, RoundFigures>();
    for (let round = 0; round < ROUNDS; round++) {
      for (const name of Object.keys(TURNS)) {
        if (SLOW.has(name) && round > 0) continue;
        const result = inChild(name, dir);
        if (result.seconds < (best.get(name)?.seconds ?? Number.POSITIVE_INFINITY)) best.set(name, result);
      }
    }
    const verify = best.get("verify")!;
    const hashes = best.get("bare, crypto.hash")!.hashes;
    console.log(
      `${events} events, ${(size / 1e6).toFixed(0)} MB, ${hashes} SHA-256 calls; best of ${ROUNDS}`,
    );
    console.log("                      seconds   events/s   peak MB   verify's speed beside it");
    for (const [name, { seconds, peak_mb }] of best) {
      const rate = Math.round(events / seconds).toLocaleString("en");
      const ratio = (seconds / verify.seconds).toFixed(2);
      console.log(
        `${name.padEnd(20)} ${seconds.toFixed(2).padStart(8)} ${rate.padStart(10)} ${peak_mb.toFixed(0).padStart(9)}   ${ratio}`,
      );
    }
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}

const [first, name, dir] = process.argv.slice(2);
if (first === "--turn") console.log(JSON.stringify(await TURNS[name!]!(dir!)));
else await main(Number(first ?? 1_000_000));
