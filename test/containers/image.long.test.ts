/**
 * The image, by its own steps: the Dockerfile's stages run in folders, and the result starts as an ordinary user
 * with production packages only. It installs all packages anew, so it runs on request: IMAGE=1.
 */
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { chmod, lstat, mkdtemp, readdir, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { freshDatabase } from "../support/database.ts";
import { until } from "../support/until.ts";
import { buildStages, inside, ORDINARY, type Stage } from "./stages.ts";

const run = promisify(execFile);
const ROOT = join(import.meta.dirname, "../..");
const MOST_MEGABYTES = 350;

async function bytesBelow(path: string): Promise<number> {
  const found = await lstat(path);
  if (!found.isDirectory()) return found.size;
  const sizes = await Promise.all((await readdir(path)).map((name) => bytesBelow(join(path, name))));
  return sizes.reduce((sum, size) => sum + size, 0);
}

const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as { port: number };
  await new Promise((done) => server.close(done));
  return port;
};

describe.skipIf(!process.env.IMAGE)("the image", { timeout: 900_000 }, () => {
  let place: string;
  let image: Stage;
  let database: Awaited<ReturnType<typeof freshDatabase>>;
  beforeAll(async () => {
    place = await mkdtemp(join(tmpdir(), "tallystick-image-"));
    await chmod(place, 0o755);
    image = await buildStages(ROOT, place);
    // The other stages' files are not part of it.
    for (const name of await readdir(place))
      if (join(place, name) !== image.root) await rm(join(place, name), { recursive: true, force: true });
    database = await freshDatabase();
  }, 900_000);
  afterAll(async () => {
    await database?.drop();
    if (place) await rm(place, { recursive: true, force: true });
  });

  const asOrdinary = () => (process.getuid?.() === 0 ? ORDINARY : {});
  const settings = (port = 0) => ({
    PATH: process.env.PATH!,
    HOME: inside(image, "/data"),
    ...image.env,
    DATA_DIR: inside(image, image.env.DATA_DIR!),
    HOST: "127.0.0.1",
    PORT: String(port),
    DATABASE_URL: database.url,
    LOG_LEVEL: "warn",
    ALLOW_SYNTHETIC: "1",
  });

  test(`has packages of less than ${MOST_MEGABYTES} MB, none of them for development, and no sources`, async () => {
    expect(await bytesBelow(inside(image, "node_modules"))).toBeLessThan(MOST_MEGABYTES * 1e6);
    for (const name of ["typescript", "vitest", "@biomejs/biome", "secp256k1", "lossless-json"])
      expect(existsSync(inside(image, join("node_modules", name))), name).toBe(false);
    // The image parses TypeScript drafts.
    expect(existsSync(inside(image, "node_modules/esbuild"))).toBe(true);
    expect((await readdir(inside(image, "."))).sort()).toEqual([
      "bin",
      "dist",
      "docs",
      "node_modules",
      "package.json",
    ]);
    expect(image.user).toBe("node");
  });

  test("serves health, a page, a picture and a document as an ordinary user, and stops cleanly", async () => {
    const port = await freePort();
    const [program, ...rest] = image.command;
    const options = { cwd: inside(image, "."), env: settings(port), ...asOrdinary() };
    const service = spawn(inside(image, program!), rest, { ...options, stdio: ["ignore", "pipe", "pipe"] });
    let text = "";
    for (const stream of [service.stdout, service.stderr]) stream.on("data", (chunk) => (text += chunk));
    const url = `http://127.0.0.1:${port}`;
    try {
      await until(async () => {
        if (service.exitCode !== null) return true;
        return (await fetch(`${url}/ready`)).status === 200;
      });
      expect(service.exitCode, text).toBeNull();
      const [node, ...check] = image.healthcheck;
      await run(node!, check, { env: settings(port) });
      const issued = await run(inside(image, program!), ["keys", "issue", "--tenant", "acme"], options);
      const [key] = /sk_live_[\w-]+/.exec(issued.stdout)!;
      const ask = (path: string, accept: string) =>
        fetch(url + path, { headers: { Accept: accept, Authorization: `Bearer ${key}` } });
      for (const [path, accept, begins] of [
        ["/docs/operating", "text/html", "<!doctype"],
        ["/docs/try.js", "*/*", ""],
        ["/v1/agent/trade/timeline?reporters=DE&years=2023-2024", "application/json", '{"success":true'],
        ["/v1/agent/trade/timeline?reporters=DE&years=2023-2024", "image/png", "\x89PNG"],
        ["/v1/agent/trade/timeline?reporters=DE&years=2023-2024", "text/csv", ""],
      ] as const) {
        const answer = await ask(path, accept);
        expect(answer.status, path).toBe(200);
        const body = Buffer.from(await answer.arrayBuffer()).toString("latin1");
        expect(body.length, path).toBeGreaterThan(100);
        expect(body.startsWith(begins), `${path} as ${accept}`).toBe(true);
      }
    } finally {
      service.kill("SIGTERM");
      if (service.exitCode === null) await once(service, "exit");
    }
    expect(service.exitCode, text).toBe(0);
  });
});
