/** `tallystick verify` over a database with a second history: each witness that cosigned the first one reveals it. */
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { cosignTick } from "../../src/anchoring/cosign-signed.ts";
import { formatVerifierKey, verifierKey } from "../../src/anchoring/note.ts";
import { signTick } from "../../src/anchoring/sign-growth.ts";
import { parseWitnesses } from "../../src/anchoring/witness-client.ts";
import type { App } from "../../src/core/app.ts";
import { openWitness } from "../../src/witness/witness.ts";
import { type AnchoringSetup, AT_ONCE, openAnchoringSetup } from "../anchoring/anchoring-setup.ts";
import { run } from "./run-command.ts";

let setup: AnchoringSetup;
let dir: string;
let env: Record<string, string>;
/** The service that continues with the second history. */
let second: App;
const closing: (() => unknown)[] = [];
const witnesses: Record<string, string> = {};

type Kind = {
  /** It serves its last cosigned checkpoint at its monitoring address. */
  monitored: boolean;
  /** It answers 409 for another root of the same size, like witnesses before July 2026. */
  old?: boolean;
};

const kinds: Record<string, Kind> = {
  "monitored.example": { monitored: true },
  "plain.example": { monitored: false },
  "old.example": { monitored: false, old: true },
};

/** A witness over HTTP, in the form of WITNESSES. */
async function serve(name: string, { monitored, old = false }: Kind): Promise<string> {
  const log = verifierKey(await setup.origin(), "ed25519", setup.app.signer.public_key);
  const witness = await openWitness({ dir: join(dir, name), name, logs: [log] });
  const answerTo = async (path: string, text: string) => {
    if (path === "/add-checkpoint") {
      const answer = await witness.addCheckpoint(text);
      const [followed] = await witness.follows();
      const isSameSize = text.includes(`\n${followed!.size}\n`);
      return old && answer.status === 422 && isSameSize
        ? { status: 409, type: "text/x.tlog.size", body: `${followed!.size}\n` }
        : answer;
    }
    const hash = path.split("/")[1]!;
    return monitored ? witness.checkpoint(hash) : { status: 404, type: "text/plain", body: "nothing here\n" };
  };
  const server = createServer(async (request, response) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    const { status, type, body } = await answerTo(request.url!, Buffer.concat(parts).toString());
    response.writeHead(status, { "Content-Type": type }).end(body);
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  closing.push(() => server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/#${formatVerifierKey(witness.key)}`;
}

async function happen(times: number, app: App): Promise<void> {
  for (let n = 0; n < times; n++) await setup.happen(app);
}

/** With the owner's rights. */
async function cutTo(position: number): Promise<void> {
  const client = await setup.app.pool.connect();
  await client.query(`begin; set local session_replication_role = replica;
    delete from eventstore.events where position > ${position}; commit`);
  client.release();
}

const sign = async (app: App) => expect(await signTick(app, AT_ONCE)).toBe("done");

const verify = (WITNESSES: string) => run(["verify"], { ...env, WITNESSES });

/** Three events of the first history are cosigned; then three others replace them, and are signed too. */
beforeAll(async () => {
  setup = await openAnchoringSetup();
  closing.push(() => setup.close());
  dir = await mkdtemp(join(tmpdir(), "tallystick-second-"));
  closing.push(() => rm(dir, { recursive: true, force: true }));
  for (const [name, kind] of Object.entries(kinds)) witnesses[name] = await serve(name, kind);
  await happen(1, setup.app);
  const { position: common } = await setup.app.store.head();
  await happen(3, setup.app);
  await sign(setup.app);
  const all = parseWitnesses(Object.values(witnesses).join(","));
  expect(await cosignTick(setup.app, { witnesses: all })).toBe("done");

  await cutTo(common);
  const DATA_DIR = join(dir, "second");
  const beside = await setup.beside({ DATA_DIR });
  closing.push(() => beside.close());
  second = beside.app;
  env = { DATABASE_URL: setup.database_url, SIGNING_KEY: setup.signing_key, DATA_DIR };
  await happen(3, second);
  await sign(second);
});
afterAll(async () => {
  for (const close of closing.reverse()) await close();
});

describe("a rewrite of the size that the witness cosigned", () => {
  test.each(Object.keys(kinds))("%s denies it", async (name) => {
    const { code, said } = await verify(witnesses[name]!);
    expect(said).toMatch(new RegExp(`FAIL (completeness|tree) .*${name}`));
    expect(code).toBe(1);
  });
});

describe("a rewrite longer than the cosigned one", () => {
  beforeAll(async () => {
    await happen(2, second);
    await sign(second);
  });

  test.each(Object.keys(kinds))("%s denies it", async (name) => {
    const { code, said } = await verify(witnesses[name]!);
    expect(said).toMatch(new RegExp(`FAIL (completeness|tree) .*${name}`));
    expect(code).toBe(1);
  });

  test.each(Object.entries(kinds))("%s does not deny a continuation of it", async (name, kind) => {
    const fresh = await serve(`fresh.${name}`, kind);
    const unused = await serve(`unused.${name}`, kind);
    await cosignTick(second, { witnesses: parseWitnesses(fresh) });
    await happen(2, second);
    await sign(second);
    const { code, said } = await verify(`${fresh},${unused}`);
    expect(said).toMatch(/streams: verified/);
    expect(code).toBe(0);
  });
});

describe("a log truncated with its signatures", () => {
  beforeAll(() => cutTo(1));

  test.each(Object.keys(kinds))("%s denies it", async (name) => {
    env = { ...env, DATA_DIR: join(dir, "cut") };
    const { code, said } = await verify(witnesses[name]!);
    expect(said).toMatch(new RegExp(`FAIL completeness .*${name}`));
    expect(code).toBe(1);
  });
});
