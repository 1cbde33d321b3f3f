import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { sha256 } from "./log-builder.ts";

const ROOT = join(import.meta.dirname, "../..");

test("compiling the source gives the loaded bytes", { timeout: 300_000 }, () => {
  const { scripts } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
  const dir = mkdtempSync(join(tmpdir(), "tallystick-fast-path-"));
  const file = join(dir, "reader.wasm");
  try {
    const args = scripts.fastpath.split(" ").slice(1);
    args[args.indexOf("--outFile") + 1] = file;
    execFileSync(process.execPath, [join(ROOT, "node_modules/assemblyscript/bin/asc.js"), ...args], {
      cwd: ROOT,
    });
    const digest = (path: string) => sha256(readFileSync(path)).toString("hex");
    expect(digest(file)).toBe(digest(join(ROOT, "eventstore/verify/fast-path/reader.wasm")));
  } finally {
    rmSync(dir, { recursive: true });
  }
});
