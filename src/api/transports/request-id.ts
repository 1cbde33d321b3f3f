import { randomUUID } from "node:crypto";

/** Takes over the caller's X-Request-Id if it is plain and short. */
export const requestId = (given: string | string[] | undefined): string =>
  typeof given === "string" && /^[A-Za-z0-9._:-]{1,64}$/.test(given) ? given : randomUUID();
