/** Witnesses cosign the log's checkpoints: a real one, and ones that are away, slow or lying. */
import { mkdtemp, rm } from "node:fs/promises";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeAll, beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { cosignCheckpoint, openCheckpoint } from "../../src/anchoring/checkpoint.ts";
import {
  type CosigningOptions,
  cosignTick,
  type WitnessFailure,
  type WitnessMemory,
} from "../../src/anchoring/cosign-signed.ts";
import { formatVerifierKey, type VerifierKey, verifierKey } from "../../src/anchoring/note.ts";
import { signTick } from "../../src/anchoring/sign-growth.ts";
import { parseAddCheckpoint } from "../../src/anchoring/tlog-proof.ts";
import { parseWitnesses, type WitnessAddress } from "../../src/anchoring/witness-client.ts";
import type { App } from "../../src/core/app.ts";
import * as anchors from "../../src/domain/anchoring/anchor.ts";
import { readConfig } from "../../src/runtime/config.ts";
import { newSigningKey } from "../payments/ledger-setup.ts";
import { startService } from "../support/service.ts";
import { turnOf } from "../support/turns.ts";
import { until } from "../support/until.ts";
import { type RunningWitness, runWitness } from "../witness/running.ts";
import { type AnchoringSetup, AT_ONCE, openAnchoringSetup } from "./anchoring-setup.ts";
import { signerOf } from "./signers.ts";

let setup: AnchoringSetup;
let app: App;
let log: VerifierKey;
let reports: [witness: string, WitnessFailure | undefined][];
let isShared = false;
beforeEach(async () => {
  reports = [];
  if (isShared) return;
  const { close } = await begin();
  onTestFinished(close);
});

async function begin(): Promise<AnchoringSetup> {
  setup = await openAnchoringSetup();
  app = setup.app;
  log = verifierKey(await setup.origin(), "ed25519", app.signer.public_key);
  return setup;
}

/** A separate witness process that follows this log. */
async function witnessOf(key = log, { dir = "", port = 0, name = "w.example" } = {}): Promise<Running> {
  const folder = dir || (await mkdtemp(join(tmpdir(), "tallystick-witness-")));
  const witness = await runWitness(folder, formatVerifierKey(key), { port, name });
  onTestFinished(async () => {
    await witness.kill("SIGKILL");
    await rm(folder, { recursive: true, force: true });
  });
  return { ...witness, dir: folder, address: parseWitnesses(witness.setting)[0]! };
}
type Running = RunningWitness & { dir: string; address: WitnessAddress };

const cosign = (witnesses: readonly WitnessAddress[], more: Partial<CosigningOptions> = {}, by = app) =>
  turnOf(by, "log-cosigning", (turn) =>
    cosignTick(turn.app, {
      witnesses,
      retry_ms: -60_000,
      onTrouble: (witness, trouble) => void reports.push([witness, trouble]),
      ...more,
    }),
  );
const sign = async (by = app) => {
  await setup.happen(by);
  expect(await signTick(by, AT_ONCE)).toBe("done");
};
/** The cosigners of the published note. */
const cosigners = async (witnesses: readonly WitnessAddress[], by = log) => {
  const keys = witnesses.map(({ key }) => key);
  const note = anchors.publishedNote(await setup.state())!;
  return openCheckpoint(note, { log: by, witnesses: keys }).cosignatures.map(({ witness }) => witness);
};

/** Acts as an attacker with the owner's rights. */
const rewrite = async () => {
  const client = await app.pool.connect();
  await client.query("begin; set local session_replication_role = replica");
  await client.query("update eventstore.events set event_hash = sha256('other') where position = 1");
  await client.query("delete from eventstore.events where position > 4");
  await client.query("commit");
  client.release();
};

test("a service's checkpoint is cosigned by a witness, published and reported", async () => {
  const service = await startService();
  onTestFinished(() => service.stop());
  const { origin } = await service.app.store.identity();
  const key = verifierKey(origin, "ed25519", service.app.signer.public_key);
  const witness = await witnessOf(key);
  const running = await startService({
    beside: service,
    chain: setup.chain,
    reactors: true,
    env: { ANCHORING: "1", CHECKPOINT_SECONDS: "1", WITNESSES: witness.setting },
  });
  onTestFinished(() => running.stop());
  await service.issue();
  // The log grows during the start, and so each second there is another checkpoint: query all three until they agree.
  await until(async () => {
    const published = await (await fetch(`${running.url}/log/checkpoint`)).text();
    expect(published).toContain("— w.example ");
    const { cosignatures, size } = openCheckpoint(published, { log: key, witnesses: [witness.key] });
    expect(cosignatures).toMatchObject([{ witness: "w.example" }]);
    expect(await (await fetch(witness.url)).json()).toMatchObject({ logs: [{ origin, size }] });
    expect(await (await fetch(`${running.url}/log/status`)).json()).toMatchObject({
      checkpoint: { size, cosigned_by: ["w.example"] },
      witnesses: [formatVerifierKey(witness.key)],
    });
  });
});

test("each checkpoint is cosigned once, and the event of that requires no further one", async () => {
  const witness = await witnessOf();
  const [address] = [witness.address];
  expect(await cosign([address])).toEqual({ status: "done" });
  for (let n = 1; n <= 3; n++) {
    await sign();
    for (let turn = 0; turn < 2; turn++) {
      await cosign([address]);
      await signTick(app, AT_ONCE);
    }
    expect(await cosigners([address])).toEqual(["w.example"]);
    expect(await setup.story()).toEqual(
      Array.from({ length: n }, () => ["CheckpointSigned", "CheckpointCosigned"]).flat(),
    );
  }
  expect(reports).toEqual([]);
});

test("a killed witness gets a new request for the newest checkpoint, and remembers its cosignatures", async () => {
  const first = await witnessOf();
  await sign();
  await cosign([first.address]);
  await first.kill("SIGKILL");
  const memory: WitnessMemory = new Map();
  await sign();
  expect(await cosign([first.address], { memory })).toEqual({ status: "done" });
  expect(await cosigners([first.address])).toEqual([]);
  expect(reports).toEqual([["w.example", { grave: false, reason: expect.stringContaining("ECONNREFUSED") }]]);
  // After failures it is not called for a while.
  const ask_after = Date.now() + 60_000;
  const patient: WitnessMemory = new Map([["w.example", { ...memory.get("w.example")!, ask_after }]]);
  await cosign([{ ...first.address, url: "http://nobody.invalid/" }], { memory: patient });
  expect(patient.get("w.example")!.ask_after).toBe(ask_after);
  await sign();

  const again = await witnessOf(log, { dir: first.dir, port: Number(new URL(first.url).port) });
  await cosign([again.address], { memory });
  expect(await cosigners([again.address])).toEqual(["w.example"]);
  expect(reports.slice(1)).toEqual([["w.example", undefined]]);
  expect(memory.size).toBe(0);
});

test("a lost cosignature is given again; a new witness starts at the beginning", async () => {
  const witness = await witnessOf();
  await sign();
  const cut = await listen(async (request, response) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    await fetch(`${witness.url}add-checkpoint`, { method: "POST", body: Buffer.concat(parts) });
    response.destroy();
  });
  await cosign([{ ...witness.address, url: cut }]);
  expect(await cosigners([witness.address])).toEqual([]);
  await cosign([witness.address]);
  expect(await cosigners([witness.address])).toEqual(["w.example"]);

  // The same name with another key, which has seen nothing.
  await sign();
  const fresh = await witnessOf();
  await cosign([fresh.address]);
  expect(await cosigners([fresh.address])).toEqual(["w.example"]);
});

test("a log rewritten with its checkpoints gets no more cosignatures, which raises an alarm", async () => {
  const SIGNING_KEY = newSigningKey();
  const [honest, forger] = [await setup.beside({ SIGNING_KEY }), await setup.beside({ SIGNING_KEY })];
  onTestFinished(async () => {
    await honest.close();
    await forger.close();
  });
  const key = verifierKey(log.name, "ed25519", honest.app.signer.public_key);
  const witness = await witnessOf(key);
  for (let n = 0; n < 5; n++) await setup.happen();
  await sign(honest.app);
  await cosign([witness.address], {}, honest.app);
  expect(await cosigners([witness.address], key)).toEqual(["w.example"]);
  const { size } = (await setup.state()).checkpoint!;

  await rewrite();
  const failures = async () => {
    reports = [];
    await sign(forger.app);
    await cosign([witness.address], {}, forger.app);
    const { checkpoint } = await forger.app.load(anchors, anchors.targetOf(log.name));
    return [checkpoint!.size, reports] as const;
  };
  const alarm = (reason: RegExp) => [["w.example", { grave: true, reason: expect.stringMatching(reason) }]];
  const has = new RegExp(`it has cosigned ${size} events that this log does not continue`);
  expect(await failures()).toEqual([size - 1, alarm(has)]);
  // The witness's note has our own signature, so the second history cannot continue.
  await expect(failures()).rejects.toMatchObject({ type: { slug: "log-contradicted" } });
  expect(await (await fetch(witness.url)).json()).toMatchObject({ logs: [{ size }] });
});

test("two services request concurrently, and one cosignature is stored", async () => {
  const witness = await witnessOf();
  const other = await setup.beside();
  onTestFinished(() => other.close());
  for (let n = 0; n < 4; n++) {
    await sign();
    const turns = await Promise.all([
      cosign([witness.address]),
      cosign([witness.address], {}, other.app),
      cosign([witness.address]),
    ]);
    expect(turns.map(({ status }) => status)).toContain("done");
    await cosign([witness.address], {}, other.app);
    expect(await cosigners([witness.address])).toEqual(["w.example"]);
  }
  expect(await setup.story()).toEqual(
    Array.from({ length: 4 }, () => ["CheckpointSigned", "CheckpointCosigned"]).flat(),
  );
  expect(reports).toEqual([]);
});

/** Answers the requests of a witness; its prefix. */
async function listen(handle: RequestListener): Promise<string> {
  const server = createServer(handle);
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

const signer = signerOf("liar");
const key = verifierKey("liar.example", "cosignature/v1", signer.public_key);
/** Signs everything that it receives. */
const honest: RequestListener = async (request, response) => {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  const { checkpoint } = parseAddCheckpoint(Buffer.concat(parts).toString());
  response.end(cosignCheckpoint(checkpoint, key.name, signer, 1_790_000_000));
};
const says =
  (status: number, body: string, type = "text/plain"): RequestListener =>
  (_request, response) =>
    void response.writeHead(status, { "Content-Type": type }).end(body);
const size = (n: number) => says(409, `${n}\n`, "text/x.tlog.size");
const elsewhere = cosignCheckpoint(
  "x.example\n1\nAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=\n\n— x.example AAAAAAAA\n",
  ...(["liar.example", signer, 1] as const),
);

describe("a witness", () => {
  beforeAll(async () => {
    const { close } = await begin();
    isShared = true;
    return () => {
      isShared = false;
      return close();
    };
  });

  const away = (reason: string | RegExp) => ({ grave: false, reason: expect.stringMatching(reason) });
  const grave = (reason: string | RegExp) => ({ grave: true, reason: expect.stringMatching(reason) });

  test.each<[string, RequestListener, WitnessFailure]>([
    ["hangs", () => undefined, away("does not answer in time")],
    [
      "begins an answer and never ends it",
      (_, response) => void response.write("— liar.example "),
      away("does not answer in time"),
    ],
    ["hangs up", (_, response) => void response.destroy(), away(/socket|terminated|ECONN|closed/)],
    ["answers more than anybody reads", says(200, "x".repeat(70_000)), away("more than 65536 bytes")],
    [
      "sends on to another place",
      (_, response) => void response.writeHead(302, { Location: "/" }).end(),
      away("redirect"),
    ],
    [
      "does not know the log",
      says(404, "who?\n"),
      away(/404: "who\?": its operator has to add the key at \/log\/key/),
    ],
    ["does not know the key", says(403, "no"), away("403")],
    ["is broken", says(500, "oops"), away("500")],
    ["answers what is not a signature", says(200, "— liar.example AAAA\n"), away("is wrong")],
    ["answers nothing", says(200, ""), away("is wrong")],
    ["signs something else", says(200, elsewhere), away("is wrong")],
    ["names a size that is none", says(409, "-1\n"), away("409")],
    ["says that it has seen more", size(1_000_000), grave("has cosigned 1000000 events")],
    ["says that it has seen what it has not", size(0), grave("has cosigned 0 events")],
    ["refuses the proof", says(422, "no"), grave("422")],
  ])(
    "with %s does not stop the others from cosigning, and gets a new request",
    async (_, handle, trouble) => {
      await sign();
      const other = verifierKey("honest.example", "cosignature/v1", signerOf("honest").public_key);
      const good: RequestListener = async (request, response) => {
        const parts: Buffer[] = [];
        for await (const part of request) parts.push(part as Buffer);
        const { checkpoint } = parseAddCheckpoint(Buffer.concat(parts).toString());
        response.end(cosignCheckpoint(checkpoint, other.name, signerOf("honest"), 1_790_000_000));
      };
      let now = handle;
      const liar = { url: await listen((request, response) => now(request, response)), key };
      const both = [liar, { url: await listen(good), key: other }];
      const memory: WitnessMemory = new Map();
      const status = trouble.grave ? "disputed" : "done";
      expect(await cosign(both, { deadline_ms: 1_000, memory })).toMatchObject({ status });
      expect(reports).toEqual([["liar.example", trouble]]);
      expect(await cosigners(both)).toEqual(["honest.example"]);
      // The log is signed while it fails; then it is asked for the newest checkpoint.
      await sign();
      await cosign(both, { deadline_ms: 1_000, memory });
      expect(await cosigners(both)).toEqual(["honest.example"]);
      expect(reports).toHaveLength(1);
      now = honest;
      await cosign(both, { memory });
      expect((await cosigners(both)).sort()).toEqual(["honest.example", "liar.example"]);
      expect(reports.slice(1)).toEqual([["liar.example", undefined]]);
    },
  );
});

test.each([
  ["a newer checkpoint than the turn asks about", 0],
  ["one checkpoint after the other between two questions", 2],
])("a witness that was shown %s raises no alarm", async (_, ahead) => {
  for (let n = 0; n <= ahead; n++) await sign();
  const sizes = (await setup.checkpoints()).slice(1);
  const witness: RequestListener = async (request, response) => {
    const shown = sizes.shift();
    if (shown !== undefined) return size(shown)(request, response);
    if (ahead > 0) return honest(request, response);
    await sign();
    return size((await setup.checkpoints()).at(-1)!)(request, response);
  };
  const address = { url: await listen(witness), key };
  await cosign([address]);
  expect(reports).toEqual([]);
  expect(await cosigners([address])).toEqual(ahead > 0 ? ["liar.example"] : []);
});

test("WITNESSES is a list of prefixes and keys, and its errors are reported", () => {
  const key = formatVerifierKey(verifierKey("w.example", "cosignature/v1", signerOf("w").public_key));
  const other = formatVerifierKey(verifierKey("v.example", "cosignature/v1", signerOf("v").public_key));
  const witnesses = (text: string) =>
    readConfig({ WITNESSES: text }).WITNESSES.map(({ url, key: { name } }) => [url, name]);
  expect(witnesses("")).toEqual([]);
  expect(witnesses(`https://w.example#${key}, http://v.example/tlog/#${other},`)).toEqual([
    ["https://w.example/", "w.example"],
    ["http://v.example/tlog/", "v.example"],
  ]);
  const logs = formatVerifierKey(log);
  const long = formatVerifierKey(verifierKey("w".repeat(201), "cosignature/v1", signerOf("w").public_key));
  for (const [text, reports] of [
    [key, "is not a witness"],
    [`ftp://w.example#${key}`, "is not a witness"],
    [`https://w.example/?x=1#${key}`, "is not a witness"],
    ["https://w.example#", "is not a verifier key"],
    [`https://w.example#${key.slice(0, -2)}`, "is not a verifier key"],
    [`https://w.example#${logs}`, "is a log's"],
    [`https://w.example#${long}`, "at most 200 characters"],
    [`https://w.example#${key},https://v.example#${key}`, "two witnesses are called w.example"],
  ] as const)
    expect(() => readConfig({ WITNESSES: text })).toThrow(
      expect.objectContaining({
        name: "ConfigError",
        message: expect.stringMatching(`WITNESSES .*${reports}`),
      }),
    );
});
