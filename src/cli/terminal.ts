import type { Logger } from "pino";
import type { Config } from "../config.ts";

/** What a command needs from the process it runs in. */
export type Terminal = { settings: () => Config; logger: (level: string) => Logger };
