/**
 * Programs of others judge logs, witnesses and histories: Go's note and tlog, Tessera's fsck, omniwitness and elle-cli. Each needs a
 * tool that not every machine has; its title says so where the test did not run. docs/trust.md names them.
 */
import { type ChildProcess, execFile, spawn, spawnSync } from "node:child_process";
import { createPrivateKey, createPublicKey, hash, randomBytes } from "node:crypto";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { freePort } from "../../src/adapters/free-port.ts";
import { cosignTick } from "../../src/anchoring/cosign-signed.ts";
import { formatVerifierKey, verifierKey } from "../../src/anchoring/note.ts";
import { signTick } from "../../src/anchoring/sign-growth.ts";
import { parseWitnesses } from "../../src/anchoring/witness-client.ts";
import * as anchors from "../../src/domain/anchoring/anchor.ts";
import { AT_ONCE } from "../anchoring/anchoring-setup.ts";
import type { Op, Transaction } from "../histories/list-append.ts";
import { type Service, startService } from "../support/service.ts";
import { until } from "../support/until.ts";
import { historyLines } from "./elle.ts";

const TESSERA = "github.com/transparency-dev/tessera/cmd/fsck@v1.0.4";
const OMNIWITNESS =
  "github.com/transparency-dev/witness/cmd/omniwitness@54dbcdd14f829a301b24b59f7c547c7dceebafa8";
/** The jar that elle-cli's build makes. */
const { ELLE_CLI_JAR } = process.env;
/** A first run compiles the judge. */
const COMPILE_MS = 600_000;

const has = (tool: string, ...args: string[]) => spawnSync(tool, args).status === 0;
const go = has("go", "version");
const elle = ELLE_CLI_JAR !== undefined && has("java", "-version");
const unless = (isThere: boolean, missing: string) => (isThere ? "" : ` (did not run: no ${missing} here)`);

const run = promisify(execFile);
const pathOf = (file: string) => fileURLToPath(new URL(file, import.meta.url));

let dir: string;
let service: Service;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), "tallystick-judges-"));
  if (go) service = await startService();
});
afterAll(async () => {
  await service?.stop();
  await rm(dir, { recursive: true });
});

/** A log of more than a tile, signed to its end. */
async function signed(events: number): Promise<string> {
  for (let n = 0; n < events; n++) await service.issue({ tenant: `tenant-${n}` });
  expect(await signTick(service.app, AT_ONCE)).toBe("done");
  return (await (await fetch(`${service.url}/log/key`)).text()).trim();
}

const judged = (file: string) => run("go", ["run", "-mod=mod", ".", file], { cwd: pathOf("./notes") });

test.skipIf(!go)(
  `Go's note and tlog find our packs good, and a changed event not${unless(go, "go")}`,
  async () => {
    const pack = pathOf("../../docs/vectors/pack.ndjson");
    expect((await judged(pack)).stdout).toBe("ok 3 checkpoints 9 events\n");
    const text = await readFile(pack, "utf8");
    const [, event_hash = ""] = /"event_hash":"([0-9a-f]{64})"/.exec(text)!;
    const changed = join(dir, "changed.ndjson");
    await writeFile(changed, text.replace(event_hash, "00".repeat(32)));
    await expect(judged(changed)).rejects.toThrow(/FAIL .* another root/);
  },
  COMPILE_MS,
);

test.skipIf(!go)(
  `Tessera's fsck finds the tiles and entries of a served log good${unless(go, "go")}`,
  async () => {
    const key = join(dir, "log.key");
    await writeFile(key, await signed(300));
    const options = ["--ui=false", `--public_key=${key}`, `--storage_url=${service.url}/log/`];
    await run("go", ["run", TESSERA, ...options]);
  },
  COMPILE_MS,
);

test.skipIf(!go)(
  `omniwitness cosigns a log, and its cosignature is good${unless(go, "go")}`,
  async () => {
    const log = await signed(3);
    const { key, text } = witnessKey("witness.example/omni");
    const files = { key: join(dir, "omni.key"), logs: join(dir, "logs.yaml") };
    await writeFile(files.key, text);
    const [origin] = log.split("+");
    await writeFile(
      files.logs,
      `Logs:\n  - Origin: ${origin}\n    PublicKey: ${log}\n    URL: ${service.url}/log/\n`,
    );
    const port = await freePort(0);
    const options = [`--listen=127.0.0.1:${port}`, "--metrics_listen=", `--db_file=${join(dir, "omni.db")}`];
    const args = [
      "run",
      OMNIWITNESS,
      ...options,
      `--private_key_path=${files.key}`,
      `--additional_logs=${files.logs}`,
    ];
    const child = spawn("go", args, { detached: true, stdio: "ignore" });
    onTestFinished(() => endGroup(child));
    // Any answer shows that it listens; none yet is an error, after which `until` asks again.
    await until(() => fetch(`http://127.0.0.1:${port}/`));
    const witnesses = parseWitnesses(`http://127.0.0.1:${port}/#${formatVerifierKey(key)}`);
    expect(await cosignTick(service.app, { witnesses })).toBe("done");
    const state = await service.app.load(anchors, anchors.targetOf(origin!));
    expect(anchors.standingCosignatures(state).map(({ witness }) => witness)).toEqual([key.name]);
  },
  COMPILE_MS,
);

/** `go run` starts the program as its child. */
const endGroup = ({ pid }: ChildProcess) => void process.kill(-pid!, "SIGKILL");

/** A new key in the form of golang.org/x/mod/sumdb/note, and what it verifies as a witness's. */
function witnessKey(name: string) {
  const seed = randomBytes(32);
  const der = Buffer.concat([Buffer.from("302e020100300506032b657004220420", "hex"), seed]);
  const { x } = createPublicKey(createPrivateKey({ key: der, format: "der", type: "pkcs8" })).export({
    format: "jwk",
  });
  const public_key = Buffer.from(x!, "base64url");
  const typed = (bytes: Buffer) => Buffer.concat([Buffer.of(1), bytes]);
  const id = hash("sha256", Buffer.concat([Buffer.from(`${name}\n`), typed(public_key)]), "buffer").subarray(
    0,
    4,
  );
  const text = `PRIVATE+KEY+${name}+${id.toString("hex")}+${typed(seed).toString("base64")}`;
  return { text, key: verifierKey(name, "cosignature/v1", public_key) };
}

const append = (key: string, value: number): Op => ({ append: key, value });
const read = (key: string, ...values: number[]): Op => ({ read: key, values });
const history = (...ops: Op[][]): Transaction[] =>
  ops.map((own, n) => ({ id: `p${n}`, ops: own, outcome: "ok", begun: 10 * n, ended: 10 * n + 5 }));

async function verdictOfElle(name: string, transactions: readonly Transaction[]): Promise<string> {
  const file = join(dir, `${name}.json`);
  await writeFile(file, `[${historyLines(transactions).join(",\n")}]`);
  const { stdout } = await run("java", ["-jar", ELLE_CLI_JAR!, "--model", "list-append", file]);
  return stdout.trim().split("\t").at(-1)!;
}

test.skipIf(!elle)(
  `elle-cli and our checker agree on histories${unless(elle, "java, or no ELLE_CLI_JAR")}`,
  async () => {
    const good = history([append("x", 1)], [append("x", 2)], [read("x", 1, 2)]);
    const lost = history([append("x", 1)], [append("x", 2)], [read("x", 2)]);
    expect([await verdictOfElle("good", good), await verdictOfElle("lost", lost)]).toEqual(["true", "false"]);
  },
  COMPILE_MS,
);

test("a history in the form of elle-cli has an invocation and an end for each transaction, in the order of time", () => {
  const lines = historyLines([
    { id: "a", ops: [append("x", 1), read("y")], outcome: "ok", begun: 0, ended: 9 },
    { id: "b", ops: [append("y", 2)], outcome: "unknown", begun: 1 },
  ]);
  expect(lines.map((line) => JSON.parse(line))).toEqual([
    {
      index: 0,
      time: 0,
      process: 0,
      type: "invoke",
      f: "txn",
      value: [
        ["append", "x", 1],
        ["r", "y", null],
      ],
    },
    { index: 1, time: 1_000_000, process: 1, type: "invoke", f: "txn", value: [["append", "y", 2]] },
    {
      index: 2,
      time: 9_000_000,
      process: 0,
      type: "ok",
      f: "txn",
      value: [
        ["append", "x", 1],
        ["r", "y", []],
      ],
    },
    { index: 3, time: 9_000_000, process: 1, type: "info", f: "txn", value: [["append", "y", 2]] },
  ]);
});
