import type { Logger } from "pino";
import type { Config } from "../config.ts";

/** What a command needs from the process it runs in. */
export type Terminal = { settings: () => Config; logger: (level: string) => Logger };

/** A host as it stands in a URL; one that means every address is reached at this machine's own. */
export function hostInUrl(host: string): string {
  if (host === "0.0.0.0" || host === "::") return "127.0.0.1";
  return host.includes(":") ? `[${host}]` : host;
}
