/** The embedded cluster after its DATA_DIR is deleted, copied or moved; on real clusters. */
import { execFile } from "node:child_process";
import { chmod, cp, mkdtemp, readFile, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import pg from "pg";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { ClusterMisplaced, clusterFolder } from "../src/adapters/cluster-location.ts";
import { embeddedPostgres } from "../src/adapters/embedded-postgres.ts";
import { unprivilegedAccount } from "../src/adapters/postgres-binaries.ts";

let root: string;
let outside: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "tallystick-place-"));
  outside = await mkdtemp(join(tmpdir(), "tallystick-outside-"));
  // Postgres may run as another account, which needs access here.
  await chmod(outside, 0o755);
});
afterEach(async () => {
  for (const folder of [root, outside]) await rm(folder, { recursive: true, force: true });
});

/** The settings of a machine where Postgres cannot enter DATA_DIR: mkdtemp's folders are private. */
const elsewhere = () => ({
  outside,
  account: unprivilegedAccount() ?? { uid: 65534, gid: 65534 },
});
const folderOf = (name: string) => clusterFolder(join(root, name), elsewhere());

/** Runs the cluster of a DATA_DIR for a while. */
async function within<T>(dir: string, work: (client: pg.Client, port: string) => Promise<T>): Promise<T> {
  const server = await embeddedPostgres({ dir });
  const client = new pg.Client({ connectionString: server.ownerUrl });
  await client.connect();
  try {
    return await work(client, new URL(server.ownerUrl).port);
  } finally {
    await client.end();
    await server.leave();
  }
}

const remember = (text: string) => (client: pg.Client) =>
  client.query(
    `create table if not exists remembered (text text); insert into remembered values ('${text}')`,
  );
const remembered = async (client: pg.Client) =>
  (await client.query("select text from remembered order by 1")).rows.map(({ text }) => text);

describe("a cluster inside a DATA_DIR that Postgres may enter", () => {
  test("becomes another cluster with its own port when it is copied while its server runs", async () => {
    await chmod(root, 0o755);
    const dir = await clusterFolder(join(root, "a"), { account: undefined });
    expect(dir).toBe(join(root, "a", "postgres"));
    await within(dir, async (client, port) => {
      await remember("first")(client);
      await client.query("checkpoint");
      await copied(join(root, "a"), join(root, "b"));
      await within(join(root, "b", "postgres"), async (other, itsPort) => {
        expect(itsPort).not.toBe(port);
        expect(await remembered(other)).toEqual(["first"]);
        await remember("second")(other);
      });
      expect(await remembered(client)).toEqual(["first"]);
    });
  });
});

describe("a cluster outside of a DATA_DIR that Postgres may not enter", () => {
  test("is named by an id in DATA_DIR, and found by it", async () => {
    const dir = await folderOf("a");
    expect(dir.startsWith(outside)).toBe(true);
    expect(await folderOf("a")).toBe(dir);
    expect(JSON.parse(await readFile(join(root, "a", "postgres.place"), "utf8"))).toMatchObject({
      data_dir: join(root, "a"),
    });
  });

  test("is a new one after DATA_DIR was deleted", async () => {
    const dir = await folderOf("a");
    await rm(join(root, "a"), { recursive: true });
    expect(await folderOf("a")).not.toBe(dir);
  });

  test("stays with a moved DATA_DIR", async () => {
    const dir = await folderOf("a");
    await rename(join(root, "a"), join(root, "b"));
    expect(await folderOf("b")).toBe(dir);
    expect(await folderOf("a")).not.toBe(dir);
  });

  test("is copied for a copied DATA_DIR, and then separate", async () => {
    const dir = await folderOf("a");
    await within(dir, remember("first"));
    await cp(join(root, "a"), join(root, "b"), { recursive: true });
    const other = await folderOf("b");
    expect(other).not.toBe(dir);
    expect(await folderOf("b")).toBe(other);
    await within(other, remember("second"));
    expect(await within(dir, remembered)).toEqual(["first"]);
    expect(await within(other, remembered)).toEqual(["first", "second"]);
  });

  test("is not copied while its server runs, and the remedy is named", async () => {
    const dir = await folderOf("a");
    await within(dir, async () => {
      await cp(join(root, "a"), join(root, "b"), { recursive: true });
      await expect(folderOf("b")).rejects.toThrow(ClusterMisplaced);
      await expect(folderOf("b")).rejects.toThrow(/stop that service/);
    });
  });

  test("that was deleted is reported, not created anew", async () => {
    const dir = await folderOf("a");
    await within(dir, remember("first"));
    await writeFile(join(root, "a", "postgres-app.password"), "x");
    await rm(dir, { recursive: true });
    await expect(folderOf("a")).rejects.toThrow(/is missing/);
  });
});

async function copied(from: string, to: string): Promise<void> {
  // Owners are preserved, which fs.cp would not do.
  await promisify(execFile)("cp", ["-a", from, to]);
}
