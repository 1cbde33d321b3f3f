/** A run's failures: the first complete answer and the count of each kind. */
export type ProblemKind = {
  path: string;
  status: number | "no answer";
  type: string;
  count: number;
  first: { at: string; request_id: string | null; detail: string };
};

export type Problems = {
  /** Counts a problem answer; `body` is its text. */
  note(path: string, response: Response, body: string): void;
  /** Counts an unanswered call, and why. */
  unanswered(path: string, reason: string): void;
  /** The kinds, the most frequent first. */
  kinds(): ProblemKind[];
};

/** Limits the memory for a service that varies its texts. */
const MOST_KINDS = 200;

export function createProblems(): Problems {
  const kinds = new Map<string, ProblemKind>();
  const count = (kind: Omit<ProblemKind, "count" | "first">, first: () => ProblemKind["first"]) => {
    const name = `${kind.status} ${kind.path} ${kind.type}`;
    const known = kinds.get(name);
    if (known) known.count++;
    else if (kinds.size < MOST_KINDS) kinds.set(name, { ...kind, count: 1, first: first() });
  };
  return {
    note: (path, { status, headers }, body) => {
      const { type, detail } = readProblem(body);
      // The part before # is the service's address, which differs between processes.
      const kind = { path, status, type: type.slice(type.indexOf("#") + 1) };
      count(kind, () => ({
        at: new Date().toISOString(),
        request_id: headers.get("x-request-id"),
        detail,
      }));
    },
    unanswered: (path, reason) =>
      count({ path, status: "no answer", type: reason }, () => ({
        at: new Date().toISOString(),
        request_id: null,
        detail: reason,
      })),
    kinds: () => [...kinds.values()].sort((a, b) => b.count - a.count),
  };
}

/** A 402 is no problem document, and names a payment's fault in `error`. */
function readProblem(body: string): { type: string; detail: string } {
  try {
    const { type, detail, error } = JSON.parse(body) as Partial<Record<"type" | "detail" | "error", string>>;
    return { type: type ?? "none", detail: detail ?? error ?? body.slice(0, 500) };
  } catch {
    return { type: "none", detail: body.slice(0, 500) };
  }
}
