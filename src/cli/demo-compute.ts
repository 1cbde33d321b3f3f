/**
 * The demo of the compute market: a wallet pays for a task, a worker runs it, the service checks it, and the
 * receipt is verified.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { importJWK, jwtVerify } from "jose";
import type { LocalAccount } from "viem/accounts";
import { z } from "zod";
import { canonicalText } from "../../eventstore/canonical.ts";
import type { JsonObject } from "../../eventstore/types.ts";
import type { Hex } from "../core/model/chain.ts";
import { digestOf } from "../core/model/objects.ts";
import { refuse } from "../core/model/refusal.ts";
import { proofText, statementOf } from "../domain/access/wallet-proof.ts";
import { BASE, decimalUsdc } from "../domain/payments/usdc.ts";
import { COMMAND } from "./command-name.ts";
import { ask, buy, fetchAnswer, parsed, sign } from "./demo-buyer.ts";
import { listen } from "./demo-notices.ts";
import { tell } from "./demo-story.ts";
import { stories } from "./stories.ts";

const SUBMIT = "/soul/compute/submit";

/** Counts the primes below 20,000: it takes a moment, and everybody can check it. */
const TASK = {
  task_type: "js",
  input_data: {
    code: `let found = 0;
for (let n = 2; n < args; n++) {
  let prime = true;
  for (let by = 2; by * by <= n && prime; by++) prime = n % by !== 0;
  if (prime) found++;
}
return found;`,
    args: 20_000,
  },
  max_price_usd: 0.02,
};

const market = z.looseObject({ online: z.int(), queued: z.int(), settled: z.int() });
const submitted = z.looseObject({
  task_id: z.string(),
  status: z.string(),
  account: z.looseObject({ held_usdc: z.string(), available_usdc: z.string() }),
});
const settled = z.looseObject({
  status: z.string(),
  price_usd: z.string(),
  provider_usd: z.string(),
  audit: z.string().nullable(),
  result: z.looseObject({ value: z.unknown() }),
  receipt: z.looseObject({ kid: z.string(), signature: z.string() }),
});
const passport = z.looseObject({
  keys: z.array(z.looseObject({ kid: z.string(), kind: z.string(), public: z.string() })),
});
const line = z.looseObject({ event: z.string() });
const online = z.looseObject({ sx_id: z.string(), agent_id: z.string() });
const done = z.looseObject({ task_id: z.string(), exit: z.string(), used_ms: z.number() });

export async function haveTaskDone(url: string, wallet: LocalAccount, folder: string): Promise<void> {
  tell.step(1, "The market", "GET /soul/compute/marketplace");
  const before = await fetchAnswer(`${url}/soul/compute/marketplace`, market);
  tell.line(
    "there are",
    `${before.online} nodes online, ${before.queued} tasks queued, ${before.settled} settled`,
  );

  const agent = `demo-worker-${randomBytes(4).toString("hex")}`;
  const dir = join(folder, agent);
  const options = ["--url", url, "--agent", agent, "--dir", dir, "--kinds", "js"];
  tell.step(2, "A worker", `${COMMAND} work --url ${url} --agent ${agent} --kinds js`);
  const worker = startWorker(options);
  const listener = await listen(url, wallet);
  try {
    const node = await worker.tells("online", online);
    tell.line(
      "online",
      `${node.sx_id} ${node.agent_id}: a separate process, with a passport and a proven key`,
    );

    tell.step(3, "A task, and its payment", `POST ${SUBMIT}`);
    const task = await submit(url + SUBMIT, wallet);
    tell.line("task", `${task.task_id}: count the primes below ${TASK.input_data.args}`);
    tell.line(
      "held",
      `${task.account.held_usdc} USDC, its highest price; payment, reservation and task are one commit`,
    );

    tell.step(4, "The worker does it", "in a sandbox without clock, chance, network and files");
    const { exit, used_ms } = await worker.tells("task", done, task.task_id);
    tell.line("done", `${exit} after ${used_ms} ms, and signed`);

    tell.step(
      5,
      "The service runs it again, and pays",
      "the audit, then POST /soul/compute/settle by the worker",
    );
    await listener.until("task.settled", task.task_id, [
      "task.refunded",
      "task.expired",
      "task.dead_lettered",
    ]);
    tell.line("notices", `${listener.count} notices by GET /v1/agent/notices; the requester polled 0 times`);
    const path = `/soul/compute/status/${task.task_id}`;
    const now = await fetchAnswer(url + path, settled, { headers: await owner(wallet, url, path) });
    tell.line("result", `${JSON.stringify(now.result.value)}, audit ${now.audit ?? "none"}, ${now.status}`);
    tell.line(
      "price",
      `${now.price_usd} USDC, of which the worker gets ${now.provider_usd}; the rest is returned`,
    );

    tell.step(6, "The receipt, verified offline", `GET /soul/passport/${node.sx_id}`);
    const { keys } = await fetchAnswer(`${url}/soul/passport/${encodeURIComponent(node.sx_id)}`, passport);
    await verifyReceipt(now, task.task_id, keys);
  } finally {
    listener.close();
    await worker.stop();
    await rm(dir, { recursive: true, force: true });
  }
}

async function submit(url: string, wallet: LocalAccount): Promise<z.infer<typeof submitted>> {
  const question = { body: TASK };
  const offer = await ask(url, question, stories.compute.most);
  if (!/development chain/i.test(offer.resource.description))
    refuse(
      "forbidden",
      `${url} does not settle on a development chain, but this story pays play money: start one by \`npm start\``,
    );
  const { body, settlement } = await buy(url, await sign(wallet, offer), question);
  tell.line("paid", `${decimalUsdc(offer.amount_micro)} USDC in ${settlement.transaction}`);
  const read = submitted.safeParse(parsed(body));
  return read.success ? read.data : refuse("unprocessable", `${url} is not a Tallystick service`);
}

/** SIGN-IN-WITH-X: the submitting wallet can see its task. */
async function owner(wallet: LocalAccount, url: string, path: string): Promise<Record<string, string>> {
  const said = {
    domain: new URL(url).host,
    address: wallet.address.toLowerCase() as Hex,
    statement: statementOf({ method: "GET", path }),
    uri: url + path,
    version: "1" as const,
    chainId: BASE.network,
    nonce: randomBytes(8).toString("hex"),
    issuedAt: new Date().toISOString(),
  };
  const signature = await wallet.signMessage({ message: proofText(said) });
  return { "SIGN-IN-WITH-X": Buffer.from(JSON.stringify({ ...said, signature })).toString("base64") };
}

type SettledTask = z.infer<typeof settled>;

/** Verifies with the worker's public key and the exchanged data, without further requests. */
async function verifyReceipt(
  { receipt, result }: SettledTask,
  task_id: string,
  keys: z.infer<typeof passport>["keys"],
): Promise<void> {
  const key = keys.find(({ kid }) => kid === receipt.kid);
  if (!key)
    return refuse("unprocessable", "the receipt is signed by a key missing from the worker's passport");
  const jwk = { kty: "OKP", crv: "Ed25519", x: key.public };
  const { payload } = await jwtVerify(receipt.signature, await importJWK(jwk, "EdDSA"), {
    algorithms: ["EdDSA"],
  }).catch((error: Error) => refuse("unprocessable", `jose rejects the receipt: ${error.message}`));
  const input = digestOf(canonicalText(TASK.input_data as JsonObject, "input_data"));
  const output = digestOf(canonicalText(result as JsonObject, "result"));
  const findings = [
    { ok: true, says: "jose verifies it by a key of the worker's passport" },
    { ok: payload.task_id === task_id, says: "it names this task" },
    {
      ok: payload.input_sha256 === input,
      says: "it names the SHA-256 of the input as sent",
    },
    { ok: payload.output_sha256 === output, says: "it names the SHA-256 of the result as received" },
  ];
  for (const finding of findings) tell.finding(finding);
  if (findings.some(({ ok }) => !ok))
    refuse("unprocessable", "the receipt differs from the task; see the lines marked FAIL");
}

/** `tallystick work` as a separate process; it prints a JSON object per line. */
function startWorker(options: string[]) {
  const child: ChildProcess = spawn(process.execPath, [process.argv[1]!, "work", ...options], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const lines: z.infer<typeof line>[] = [];
  let heard = () => {};
  const ended = new Promise<void>((resolve) =>
    child.on("close", () => {
      resolve();
      heard();
    }),
  );
  createInterface({ input: child.stdout! }).on("line", (text) => {
    const read = line.safeParse(parsed(text));
    if (read.success) lines.push(read.data);
    heard();
  });
  const isOver = () => child.exitCode !== null || child.signalCode !== null;
  return {
    /** Waits for this event's line about this task. */
    async tells<Schema extends z.ZodType>(
      event: string,
      schema: Schema,
      task_id?: string,
    ): Promise<z.infer<Schema>> {
      for (;;) {
        const found = lines.find(
          (one) => one.event === event && (task_id === undefined || one.task_id === task_id),
        );
        if (found) return schema.parse(found);
        if (isOver()) return refuse("unavailable", "the worker has ended; see its output above");
        await new Promise<void>((resolve) => {
          heard = resolve;
        });
      }
    },
    async stop() {
      child.kill("SIGTERM");
      await ended;
    },
  };
}
