/** The limit of what is measured over HTTP: a server in a process of its own that reads a JSON body and sends the same bytes again and again. */
import { spawn } from "node:child_process";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import express from "express";
import { cpuOf } from "./cpu.ts";

const FILE = fileURLToPath(import.meta.url);

/** Starts a server whose every route answers `body`. */
export async function startBareExpress(
  body: string,
): Promise<{ url: string; cpu_ms(): number; stop(): void }> {
  const child = spawn(process.execPath, [...process.execArgv, FILE, body], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  for await (const url of createInterface(child.stdout))
    return { url, cpu_ms: () => cpuOf(child.pid!), stop: () => child.kill() };
  throw new Error("the bare server did not start");
}

function serve(body: string): void {
  const app = express().disable("etag");
  const bytes = Buffer.from(body);
  app.use(express.json());
  app.all("/{*path}", (_req, res) => {
    res.type("application/json").send(bytes);
  });
  const server = createServer(app).listen(0, "127.0.0.1", () =>
    console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}`),
  );
}

if (process.argv[1] === FILE) serve(process.argv[2]!);
