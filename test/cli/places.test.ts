/** Folders that a command cannot use: refused at once, with a sentence. */
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

const list = (DATA_DIR: string) => runHere({ DATA_DIR }, "keys", "list");

test("a DATA_DIR that is a file, or below one, is refused", async () => {
  for (const place of [join(dir, "file"), join(dir, "file", "below")])
    expect(await list(place)).toMatchObject({
      code: 1,
      stderr: `DATA_DIR ${place} cannot be used: a part of this path is a file, not a folder: check the path\n`,
    });
});

test.runIf(process.platform === "linux")(
  "a DATA_DIR in a file system without folders is refused",
  async () => {
    const { code, stderr } = await list("/proc/tallystick/data");
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
