/** The addresses of the service that the settings describe. */
import type { Config } from "./config.ts";

/** A host in URL form; one that means every address becomes this machine's own. */
export function hostInUrl(host: string): string {
  if (host === "0.0.0.0" || host === "::") return "127.0.0.1";
  return host.includes(":") ? `[${host}]` : host;
}

/** On this machine. */
export const localAddress = ({ HOST, PORT }: Pick<Config, "HOST" | "PORT">): string =>
  `http://${hostInUrl(HOST)}:${PORT}`;

/** For callers: PUBLIC_URL, or the local address without one. */
export const ownAddress = (config: Pick<Config, "PUBLIC_URL" | "HOST" | "PORT">): string =>
  config.PUBLIC_URL ?? localAddress(config);
