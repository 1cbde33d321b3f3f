/** A folder on a disk that all processes of a machine share: each operation takes a while, and a new file is empty at first. */
import { createHash } from "node:crypto";
import type { VirtualClock } from "./clock.ts";
import type { Host } from "./host.ts";

type File = { text: string; mtimeMs: number };

export class ModelDisk {
  readonly files = new Map<string, File>();
  readonly clock: VirtualClock;

  constructor(clock: VirtualClock) {
    this.clock = clock;
  }

  #missing(path: string): never {
    throw Object.assign(new Error(`there is no ${path}`), { code: "ENOENT" });
  }

  #taken(path: string): void {
    if (this.files.has(path)) throw Object.assign(new Error(`${path} exists`), { code: "EEXIST" });
  }

  /** The part of node:fs/promises that locks use, for one process. */
  of(host: Host) {
    const io = () => host.io(0, 12);
    return {
      writeFile: async (path: string, text: string) => {
        await io();
        this.#taken(path);
        const file = { text: "", mtimeMs: Date.now() };
        this.files.set(path, file);
        await io();
        Object.assign(file, { text, mtimeMs: Date.now() });
      },
      link: async (from: string, to: string) => {
        await io();
        this.#taken(to);
        this.files.set(to, this.files.get(from) ?? this.#missing(from));
      },
      rm: async (path: string) => {
        await io();
        this.files.delete(path);
      },
      stat: async (path: string) => {
        await io();
        const { mtimeMs } = this.files.get(path) ?? this.#missing(path);
        return { mtimeMs };
      },
      readFile: async (path: string) => {
        await io();
        return (this.files.get(path) ?? this.#missing(path)).text;
      },
    };
  }
}

export type Modules = Record<string, object>;

/** Loads a compiled module for one process: it gets its own state, process and modules. */
export function loaded<T>(source: string, process: object, modules: Modules): T {
  const module = { exports: {} };
  const require = (name: string) => {
    const found = modules[name];
    if (!found) throw new Error(`the model of a process does not have ${name}`);
    return found;
  };
  new Function("module", "exports", "require", "process", source)(module, module.exports, require, process);
  return module.exports as T;
}

/** Bytes that are new each time and follow from the seed. */
export const seededBytes = (clock: VirtualClock) => (length: number) =>
  createHash("sha256").update(`${clock.random()}`).digest().subarray(0, length);
