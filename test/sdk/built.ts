/** The TypeScript client as its package has it, in a folder whose node_modules a stranger's would be. */
import { execFile } from "node:child_process";
import { mkdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { inject } from "vitest";
import { catalogueOf } from "../../src/api/declare/catalogue.ts";
import { openapi } from "../../src/api/describe/openapi.ts";
import { areas } from "../../src/areas/index.ts";
import { once } from "../support/made-once.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

export const document = openapi(catalogueOf(areas), "https://tally.example.org");

/** The package's own dependencies, each linked as npm would install it. */
const DEPENDENCIES = ["@x402", "jose", "openapi-fetch", "openapi-typescript-helpers", "viem"];

/** The folder; the client is `tallystick-client` in it. A run builds it once. */
export async function clientFolder(): Promise<string> {
  const folder = join(inject("runDir"), "sdk");
  await once("sdk", async () => {
    const modules = join(folder, "node_modules");
    await mkdir(modules, { recursive: true });
    for (const name of DEPENDENCIES) await symlink(join(ROOT, "node_modules", name), join(modules, name));
    const described = join(folder, "openapi.json");
    await writeFile(described, JSON.stringify(document));
    const build = join(ROOT, "clients/typescript/build.mjs");
    const args = ["--openapi", described, "--into", join(modules, "tallystick-client")];
    await promisify(execFile)(process.execPath, [build, ...args], { cwd: ROOT });
  });
  return folder;
}
