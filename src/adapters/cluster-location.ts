/**
 * Chooses the folder of a DATA_DIR's embedded cluster: inside it, unless the Postgres account cannot reach it (a
 * clone below /root, for example). Then the cluster is a folder below /var/lib/tallystick, which DATA_DIR names by
 * an id. A DATA_DIR without an id gets a new cluster; a copied DATA_DIR gets a copied cluster.
 */
import { execFile } from "node:child_process";
import { createHash, randomUUID } from "node:crypto";
import { existsSync, statSync } from "node:fs";
import { mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { promisify } from "node:util";
import { isAlive, lockFolder } from "./folder-lock.ts";
import { unprivilegedAccount } from "./postgres-binaries.ts";
import { textIn } from "./text-file.ts";

const run = promisify(execFile);

/** The cluster cannot be used; the message names the remedy. */
export class ClusterMisplaced extends Error {
  override readonly name = "ClusterMisplaced";
}

/** `id` names the outside folder; `data_dir` is the DATA_DIR that it was created for. */
type ClusterLocation = { id: string; data_dir: string };

const OUTSIDE = "/var/lib/tallystick";

const locationFile = (dataDir: string) => join(dataDir, "postgres.place");
const folderOutside = (root: string, id: string) => join(root, id, "postgres");

/** The cluster's folder, which may be empty. Throws ClusterMisplaced. */
export async function clusterFolder(
  data_dir: string,
  { outside = OUTSIDE, account = unprivilegedAccount() } = {},
): Promise<string> {
  const dataDir = resolve(data_dir);
  const inside = join(dataDir, "postgres");
  const place = await readLocation(dataDir);
  if (place) return folderOutside(outside, (await owned(place, dataDir, outside)).id);
  if (!account || existsSync(join(inside, "PG_VERSION")) || openToAll(dataDir)) return inside;
  await mkdir(dataDir, { recursive: true });
  const release = await lockFolder(`${locationFile(dataDir)}.lock`);
  try {
    const made = (await readLocation(dataDir)) ?? {
      id: earlierId(dataDir, outside) ?? randomUUID(),
      data_dir: dataDir,
    };
    await writeLocation(dataDir, made);
    return folderOutside(outside, made.id);
  } finally {
    await release();
  }
}

/** True once a start has made a cluster for this DATA_DIR, wherever it is. Makes nothing. */
export const hasCluster = (data_dir: string): boolean =>
  ["postgres/PG_VERSION", "postgres.place", "postgres-app.password"].some((name) =>
    existsSync(join(data_dir, name)),
  );

/** Earlier versions used the path's digest as the id; a DATA_DIR with such a cluster keeps it. */
function earlierId(dataDir: string, outside: string): string | undefined {
  const id = createHash("sha256").update(join(dataDir, "postgres")).digest("hex").slice(0, 16);
  const hasJoined = existsSync(join(dataDir, "postgres-app.password"));
  return hasJoined && existsSync(folderOutside(outside, id)) ? id : undefined;
}

/** The location of a DATA_DIR that may have been moved or copied. */
async function owned(place: ClusterLocation, dataDir: string, outside: string): Promise<ClusterLocation> {
  const folder = folderOutside(outside, place.id);
  if (!existsSync(folder) && existsSync(join(dataDir, "postgres-app.password")))
    throw new ClusterMisplaced(
      `DATA_DIR ${dataDir} names the cluster in ${folder}, which is missing: restore it from a backup, or start again with an empty DATA_DIR`,
    );
  if (place.data_dir === dataDir) return place;
  const first = await readLocation(place.data_dir);
  const isCopy = first?.id === place.id;
  const own = { id: isCopy ? randomUUID() : place.id, data_dir: dataDir };
  if (isCopy) await copyCluster(folder, folderOutside(outside, own.id), place.data_dir);
  await writeLocation(dataDir, own);
  return own;
}

async function copyCluster(from: string, to: string, first: string): Promise<void> {
  const pid = Number.parseInt(await readFile(join(from, "postmaster.pid"), "utf8").catch(() => ""), 10);
  if (pid > 0 && isAlive(pid))
    throw new ClusterMisplaced(
      `this DATA_DIR is a copy of ${first}, whose log is in use: stop that service, start this one once, then restart the other`,
    );
  const draft = `${to}.copying`;
  await rm(draft, { recursive: true, force: true });
  await mkdir(dirname(to), { recursive: true });
  // Owners and modes are preserved, because the cluster belongs to the Postgres account.
  await run("cp", ["-a", from, draft]);
  await run("cp", ["-a", `${from}.password`, `${to}.password`]);
  await rename(draft, to);
}

async function readLocation(dataDir: string): Promise<ClusterLocation | undefined> {
  const text = await textIn(locationFile(dataDir));
  return text === undefined ? undefined : (JSON.parse(text) as ClusterLocation);
}

async function writeLocation(dataDir: string, place: ClusterLocation): Promise<void> {
  const file = locationFile(dataDir);
  await writeFile(`${file}.new`, `${JSON.stringify(place)}\n`, { mode: 0o600 });
  await rename(`${file}.new`, file);
}

function openToAll(path: string): boolean {
  const passable = !existsSync(path) || (statSync(path).mode & 0o001) !== 0;
  return passable && (path === dirname(path) || openToAll(dirname(path)));
}
