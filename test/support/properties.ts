/** Properties draw the same examples in each gate; other scales draw new ones, so that the night finds what is left. */
import fc from "fast-check";
import { SCALE } from "./scale.ts";

if (SCALE === 1) fc.configureGlobal({ seed: 20261129 });
