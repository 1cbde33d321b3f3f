/** The limits of HTTP measurements: servers in separate processes that read a JSON body and send constant bytes. */
import { spawn } from "node:child_process";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import express, { type RequestHandler } from "express";
import { openPool } from "../eventstore/pool.ts";
import { createEventStore } from "../eventstore/store.ts";
import { cpuOf } from "./cpu.ts";
import { loneEvent } from "./lone-event.ts";
import { AS_STARTED, type Environment } from "./service-process.ts";

const FILE = fileURLToPath(import.meta.url);

export type BareServer = { url: string; cpu_ms(): number; stop(): void };

/** Starts a server whose every route answers `body`. */
export const startBareExpress = (body: string): Promise<BareServer> => start([body], process.env);

/** As startBareExpress; each call appends one event to its own stream before the answer. */
export const startAppendingExpress = (env: Environment, body: string): Promise<BareServer> =>
  start([body, "appends"], { ...process.env, ...env });

/** As startBareExpress; a call is answered by the rows of the statements that were PUT to its path as a JSON array. */
export const startAskingExpress = (url: string): Promise<BareServer> =>
  start(["", "asks"], { ...process.env, DATABASE_URL: url });

async function start(args: string[], env: NodeJS.ProcessEnv): Promise<BareServer> {
  const child = spawn(process.execPath, [AS_STARTED, ...process.execArgv, FILE, ...args], {
    env,
    stdio: ["ignore", "pipe", "inherit"],
  });
  for await (const url of createInterface(child.stdout))
    return { url, cpu_ms: () => cpuOf(child.pid!), stop: () => child.kill() };
  throw new Error("the bare server did not start");
}

function serve(body: string, before: RequestHandler[]): void {
  const app = express().disable("etag");
  const bytes = Buffer.from(body);
  app.use(express.json(), ...before);
  app.all("/{*path}", (_req, res) => {
    res.type("application/json").send(bytes);
  });
  const server = createServer(app).listen(0, "127.0.0.1", () =>
    console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}`),
  );
}

function appending(url: string): RequestHandler {
  const store = createEventStore(openPool(url));
  return async (_req, _res, next) => {
    await store.append(loneEvent());
    next();
  };
}

function asking(url: string): RequestHandler {
  const pool = openPool(url);
  const known = new Map<string, string[]>();
  return async (req, res) => {
    if (req.method === "PUT") {
      known.set(req.url, req.body);
      return void res.json({});
    }
    const answers = [];
    for (const statement of known.get(req.url)!) answers.push((await pool.query(statement)).rows);
    res.json(answers);
  };
}

const DOES = { appends: appending, asks: asking };

if (process.argv[1] === FILE) {
  const [body = "", does] = process.argv.slice(2) as [string?, (keyof typeof DOES)?];
  serve(body, does ? [DOES[does](process.env.DATABASE_URL!)] : []);
}
