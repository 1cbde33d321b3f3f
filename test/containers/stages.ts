/** Runs our Dockerfile's stages in folders of this machine, without a container engine. */
import { execFile } from "node:child_process";
import { chown, cp, mkdir, readFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);

/** A stage's state: its root folder, working directory, variables, and process settings. */
export type Stage = {
  root: string;
  workdir: string;
  env: Record<string, string>;
  user: string | undefined;
  healthcheck: string[];
  command: string[];
};

/** An ordinary user that owns a stage's given files. */
export const ORDINARY = { uid: 65_534, gid: 65_534 } as const;

/** Runs all stages below `place`, with the files of `context` that .dockerignore allows; returns the last. */
export async function buildStages(context: string, place: string): Promise<Stage> {
  const text = await readFile(join(context, "Dockerfile"), "utf8");
  const lines = text
    .replaceAll(/^#.*\n/gm, "")
    .replaceAll(/\\\n/g, " ")
    .split("\n")
    .filter((line) => line.trim() !== "");
  const stages = new Map<string, Stage>();
  let stage: Stage | undefined;
  for (const line of lines) {
    const [, instruction, rest] = /^([A-Z]+)\s+(.*)$/.exec(line)!;
    if (instruction === "FROM") {
      const [, name = `stage-${stages.size}`] = / AS (\S+)$/.exec(rest!) ?? [];
      const root = join(place, name);
      stage = { root, workdir: "/", env: {}, user: undefined, healthcheck: [], command: [] };
      stages.set(name, stage);
      await mkdir(root, { recursive: true });
    } else await carryOut(stage!, instruction!, rest!, { context, stages });
  }
  return stage!;
}

type Around = { context: string; stages: ReadonlyMap<string, Stage> };

async function carryOut(stage: Stage, instruction: string, rest: string, around: Around): Promise<void> {
  switch (instruction) {
    case "WORKDIR":
      stage.workdir = resolve(stage.workdir, rest);
      await mkdir(inside(stage, "."), { recursive: true });
      return;
    case "ENV":
      for (const [, name, value] of rest.matchAll(/(\w+)=(\S+)/g)) stage.env[name!] = value!;
      return;
    case "COPY":
      return copy(stage, rest, around);
    case "RUN":
      await run("sh", ["-ec", rest], {
        cwd: inside(stage, "."),
        env: { ...process.env, ...stage.env },
        maxBuffer: 2 ** 26,
      });
      return;
    case "USER":
      stage.user = rest;
      return;
    case "HEALTHCHECK":
      stage.healthcheck = JSON.parse(/CMD (\[.*\])/.exec(rest)![1]!) as string[];
      return;
    case "ENTRYPOINT":
    case "CMD":
      stage.command.push(...(JSON.parse(rest) as string[]));
      return;
    case "VOLUME":
    case "EXPOSE":
      return;
    default:
      throw new Error(`${instruction} of the Dockerfile is not known here`);
  }
}

/** The path on this machine of a stage's path. */
export const inside = (stage: Stage, path: string) => join(stage.root, resolve(stage.workdir, path));

async function copy(stage: Stage, rest: string, { context, stages }: Around): Promise<void> {
  const words = rest.split(/\s+/);
  const options = Object.fromEntries(
    words.filter((word) => word.startsWith("--")).map((word) => word.slice(2).split("=") as [string, string]),
  );
  const paths = words.filter((word) => !word.startsWith("--"));
  const to = paths.pop()!;
  const source = options.from === undefined ? undefined : stages.get(options.from)!;
  for (const path of paths) {
    const from = source ? inside(source, path) : join(context, path);
    const target = inside(stage, to.endsWith("/") ? join(to, path.split("/").at(-1)!) : to);
    await mkdir(dirname(target), { recursive: true });
    await cp(from, target, { recursive: true, verbatimSymlinks: true, preserveTimestamps: true });
    if (options.chown !== undefined && process.getuid?.() === 0)
      await chown(target, ORDINARY.uid, ORDINARY.gid);
  }
}
