/** Folders that a command cannot use: refused at once, with a sentence. */
import { existsSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { makeFolder } from "../../eventstore/files/folder.ts";
import { runHere } from "./in-process.ts";

let dir: string;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), "tallystick-places-"));
  await writeFile(join(dir, "file"), "");
});
afterAll(() => rm(dir, { recursive: true, force: true }));

/** A command that may make the log. */
const make = (DATA_DIR: string) => runHere({ DATA_DIR }, "sandbox");

test("a command in a folder without a log is refused, and leaves nothing there", async () => {
  const place = join(dir, "without");
  for (const args of [
    ["keys", "list"],
    ["verify"],
    ["export", join(dir, "out")],
    ["agents", "erase", "SX#1"],
  ])
    expect(await runHere({ DATA_DIR: place }, ...args), args.join(" ")).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(`there is no log in ${place}: change to the folder where`),
    });
  const { stdout } = await runHere({ DATA_DIR: place, PORT: "0" }, "doctor");
  expect(stdout).toContain(`${place} is made by the first start`);
  expect(existsSync(place)).toBe(false);
});

test("a file that is missing is named before anything starts", async () => {
  const place = join(dir, "unused");
  const { code, stdout, stderr } = await runHere({ DATA_DIR: place }, "import", join(dir, "none.csv"));
  expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
  expect(stderr).toMatch(/none\.csv: there is no such file/);
  expect(existsSync(place)).toBe(false);
});

test("a DATA_DIR that is a file, or below one, is refused", async () => {
  for (const place of [join(dir, "file"), join(dir, "file", "below")])
    expect(await make(place)).toMatchObject({
      code: 1,
      stderr: `DATA_DIR ${place} cannot be used: a part of this path is a file, not a folder: check the path\n`,
    });
});

test.runIf(process.platform === "linux")(
  "a DATA_DIR in a file system without folders is refused",
  async () => {
    const { code, stderr } = await make("/proc/tallystick/data");
    expect(code).toBe(1);
    expect(stderr).toContain(
      "DATA_DIR /proc/tallystick/data cannot be used: its file system makes no folders",
    );
  },
);

test("a folder is made with its parents, and found again", async () => {
  const place = join(dir, "a", "b", "c");
  await makeFolder(place);
  await makeFolder(place);
  await expect(makeFolder(join(dir, "file"))).rejects.toMatchObject({ code: "ENOTDIR" });
});
