/** How a reader calls this program again, from the folder where it was called. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { PACKAGE } from "../api/describe/explorer.ts";

export const COMMAND = /[\\/]node_modules[\\/]/.test(PACKAGE)
  ? "npx tallystick"
  : existsSync(join("bin", "tallystick"))
    ? "bin/tallystick"
    : join(PACKAGE, "bin", "tallystick");
