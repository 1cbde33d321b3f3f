/** `tallystick witness` over HTTP, used by people and logs, killed and restarted. */
import { execFileSync } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, expect, onTestFinished, test } from "vitest";
import { openCheckpoint, withCosignatures } from "../../src/anchoring/checkpoint.ts";
import { formatVerifierKey, verifierKey } from "../../src/anchoring/note.ts";
import { type RunningWitness, runWitness } from "./running.ts";
import { smallLog } from "./small-log.ts";

const log = smallLog("log.example/main/5f1d0c3ab2e94f77", { common: 20 });
const forked = smallLog(log.origin, { history: "other", common: 20 });

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), "tallystick-witness-"));
  onTestFinished(() => rm(dir, { recursive: true, force: true }));
});

async function run(port = 0): Promise<RunningWitness> {
  const witness = await runWitness(dir, log.vkey, { port });
  onTestFinished(() => witness.kill("SIGKILL"));
  return witness;
}

const ask = async ({ url }: RunningWitness, body: string | Buffer) => {
  const response = await fetch(`${url}add-checkpoint`, { method: "POST", body });
  const { status, headers } = response;
  return { status, type: headers.get("content-type"), body: await response.text() };
};

test("the command shows its identity, cosigns, remembers across a restart, and stops cleanly", async () => {
  const witness = await run();
  const key = formatVerifierKey(witness.key);
  expect(witness.greeting).toEqual([
    `key        ${key}`,
    `follows    ${log.origin}, 0 events cosigned`,
    `listens    ${witness.url}`,
    `WITNESSES  ${witness.url}#${key}`,
  ]);
  const { status, type, body } = await ask(witness, log.growth(0, 30));
  expect([status, type]).toEqual([200, "text/plain; charset=utf-8"]);
  const note = withCosignatures(log.note(30), body, [witness.key]);
  expect(openCheckpoint(note, { log: log.key, witnesses: [witness.key] })).toMatchObject({
    cosignatures: [{ witness: "w.example" }],
  });
  await witness.kill("SIGTERM");

  const again = await run();
  expect(again.key).toEqual(witness.key);
  expect(again.greeting[1]).toBe(`follows    ${log.origin}, 30 events cosigned`);
  expect(await ask(again, forked.growth(0, 40))).toEqual({
    ...{ status: 409, type: "text/x.tlog.size", body: "30\n" },
  });
  expect(await ask(again, forked.growth(30, 40))).toMatchObject({ status: 422 });
  expect(await (await fetch(again.url)).json()).toMatchObject({
    ...{ name: "w.example", key },
    logs: [{ origin: log.origin, size: 30, root: log.root(30).toString("base64") }],
  });
});

test("an invalid checkpoint is refused within limits, and the next one is answered", async () => {
  const witness = await run();
  const { port } = new URL(witness.url);
  const status = async (path: string, init: RequestInit) =>
    (await fetch(new URL(path, witness.url), init)).status;
  expect(await status("/add-checkpoint", { method: "GET" })).toBe(405);
  expect(await status("/", { method: "POST", body: "x" })).toBe(405);
  expect(await status("/checkpoint", {})).toBe(404);
  expect(await ask(witness, Buffer.from("old 0\n\n\xff\xfe", "latin1"))).toMatchObject({ status: 400 });
  expect(await ask(witness, "x".repeat(65_537))).toMatchObject({ status: 413 });
  const halfway = connect(Number(port), "127.0.0.1");
  halfway.write("POST /add-checkpoint HTTP/1.1\r\nHost: w\r\nContent-Length: 900\r\n\r\nold 0\n");
  halfway.on("error", () => undefined);
  expect(await ask(witness, log.growth(0, 30))).toMatchObject({ status: 200 });
  halfway.destroy();
  expect(await ask(witness, log.growth(30, 31))).toMatchObject({ status: 200 });
});

test("kills at any moment leave a single signed history", async () => {
  let witness = await run();
  const port = Number(new URL(witness.url).port);
  /** The history of each received answer; the common beginning belongs to both. */
  const signed: boolean[] = [];
  let size = 20;
  await ask(witness, log.growth(0, size));
  for (let round = 0; round < 4; round++) {
    const answered: Promise<void>[] = [];
    for (let n = 0; n < 8; n++) {
      const history = (n + round) % 2 === 0;
      const request = ask(witness, (history ? log : forked).growth(size, size + 1 + n));
      const note = request.then(
        ({ status }) => void (status === 200 && signed.push(history)),
        () => undefined,
      );
      answered.push(note);
      // Each round dies later: before any answer, between the first ones, after all.
      if (n < round * 2) await note;
    }
    await witness.kill("SIGKILL");
    await Promise.all(answered);
    witness = await run(port);
    const { status, body } = await ask(witness, log.growth(0, 300));
    expect(status).toBe(409);
    expect(Number(body)).toBeGreaterThanOrEqual(size);
    size = Number(body);
  }
  expect(signed.length).toBeGreaterThan(0);
  expect(new Set(signed).size).toBe(1);
  // It remembers what it signed, or was about to sign.
  const [mine, theirs] = signed[0] ? [log, forked] : [forked, log];
  expect(await ask(witness, theirs.growth(size, 300))).toMatchObject({ status: 422 });
  expect(await ask(witness, mine.growth(size, 300))).toMatchObject({ status: 200 });
});

test("a command line error names its remedy", async () => {
  const complaint = (...args: string[]) => {
    const bin = new URL("../../bin/tallystick", import.meta.url).pathname;
    try {
      execFileSync(process.execPath, [bin, "witness", ...args], { stdio: "pipe" });
    } catch (error) {
      return (error as { stderr: Buffer }).stderr.toString();
    }
    throw new Error("it was taken");
  };
  expect(complaint("--log", log.vkey)).toContain("--name");
  expect(complaint("--name", "w.example", "--log", "x")).toContain("is not a verifier key");
  const witnessKey = formatVerifierKey(verifierKey(log.origin, "cosignature/v1", log.key.public_key));
  expect(complaint("--name", "w.example", "--log", witnessKey)).toContain("is a witness's");
  expect(complaint("--name", "two words", "--log", log.vkey, "--dir", dir)).toMatch(
    /^--name: .*not a key name/,
  );
});
