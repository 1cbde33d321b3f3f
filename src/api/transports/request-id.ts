import { randomUUID } from "node:crypto";

/** The caller's own X-Request-Id where it is plain and short, else a new one. */
export const requestId = (given: string | string[] | undefined): string =>
  typeof given === "string" && /^[A-Za-z0-9._:-]{1,64}$/.test(given) ? given : randomUUID();
