/** Requests to the service of the page. */

/** A request without an answer; `missing`: the service has no such thing. */
export class Unanswered extends Error {
  readonly missing: boolean;
  /** Seconds before a retry makes sense. */
  readonly retry_after_s: number;
  constructor(reason: string, missing: boolean, retry_after_s: number) {
    super(reason);
    this.missing = missing;
    this.retry_after_s = retry_after_s;
  }
}

const RETRY_S = 5;
const PATIENCE_MS = 20_000;

/** The JSON at a path of this service; throws Unanswered with a displayable sentence. */
export async function ask<Answer>(
  path: string,
  query: Record<string, string | number> = {},
  key?: string,
): Promise<Answer> {
  const text = new URLSearchParams(
    Object.entries(query).map(([name, value]) => [name, String(value)]),
  ).toString();
  const signal = AbortSignal.timeout(PATIENCE_MS);
  const headers = { Accept: "application/json", ...(key && { Authorization: `Bearer ${key}` }) };
  const response = await reached(text ? `${path}?${text}` : path, { signal, headers });
  const answer: unknown = await response.json().catch(() => undefined);
  if (response.ok && isObject(answer)) return answer as Answer;
  const detail = isObject(answer) && typeof answer.detail === "string" ? `: ${answer.detail}` : "";
  const wait = Number(response.headers.get("Retry-After"));
  throw new Unanswered(
    `The service answered ${response.status}${detail}`,
    response.status === 404,
    wait > 0 ? wait : RETRY_S,
  );
}

/** The response, with any status; throws Unanswered if there is none. */
export const reached = (url: string, options?: RequestInit): Promise<Response> =>
  fetch(url, options).catch(() => {
    throw new Unanswered("The service cannot be reached.", false, RETRY_S);
  });

/** The response's text; throws Unanswered if it broke off. */
export const textIn = (response: Response): Promise<string> =>
  response.text().catch(() => {
    throw new Unanswered("The answer broke off; try again.", false, RETRY_S);
  });

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null;

/** The failure as a sentence; a TypeError means an answer of another shape. */
export const reasonOf = (error: unknown): string =>
  error instanceof TypeError || error instanceof SyntaxError || !(error instanceof Error)
    ? `The service's answer could not be understood (${error}).`
    : error.message;
