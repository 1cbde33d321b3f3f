/** Built-in kinds of tasks, which the service runs itself: their inputs and the limits that results depend on. */
import { z } from "zod";
import { plainIssue } from "../../core/model/plain-issue.ts";
import { type FieldError, refuseFields } from "../../core/model/refusal.ts";

const MOST_CODE = 64 * 1024;
/** Calls of QuickJS's interrupt handler, each after some thousands of loop rounds. */
const MOST_TICKS = 100_000;
const MOST_MEMORY_MB = 64;
const MOST_ROUNDS = 10_000_000;
const MOST_ROWS = 100_000;

/** Every built-in task pays for its re-run: 0.001 USDC at least. */
export const LEAST_PRICE_MICRO = 1_000;
export const MOST_LIMIT_S = 60;

const bounded = (what: string, least: number, most: number) =>
  z
    .int(`is a whole number of ${what} from ${least} to ${most}`)
    .min(least, `is at least ${least}`)
    .max(most, `is at most ${most}`);

const js = z.strictObject({
  code: z
    .string("is the program: a JavaScript expression or function body")
    .min(1, "is at least one character")
    .refine((code) => Buffer.byteLength(code) <= MOST_CODE, `is at most ${MOST_CODE} bytes in UTF-8`),
  args: z.json("is a JSON value").default(null),
  limits: z
    .strictObject({
      ticks: bounded("ticks", 1, MOST_TICKS).default(10_000),
      memory_mb: bounded("megabytes", 1, MOST_MEMORY_MB).default(32),
    })
    .default({ ticks: 10_000, memory_mb: 32 }),
});

const column = z.string().regex(/^[a-z_][a-z0-9_]{0,62}$/, "is a lower-case name of letters, digits and _");
const cell = z.union([z.string(), z.number(), z.boolean(), z.null()]);

const sql = z.strictObject({
  query: z.string().min(1, "is one query").max(MOST_CODE, `is at most ${MOST_CODE} characters`),
  tables: z
    .record(
      column,
      z.strictObject({
        columns: z
          .array(z.strictObject({ name: column, type: z.enum(["varchar", "bigint", "double", "boolean"]) }))
          .min(1)
          .max(100),
        rows: z
          .array(z.array(cell).max(100, "has at most 100 cells"))
          .max(MOST_ROWS, `is at most ${MOST_ROWS} rows`),
      }),
    )
    .default({}),
});

const chain = z.strictObject({
  seed: z.string().regex(/^[0-9a-f]{64}$/, "is 32 bytes: 64 hex digits in lower case"),
  n: bounded("rounds", 1, MOST_ROUNDS),
});

const inputs = { js, sql, "sha256-chain": chain } as const;

export type BuiltIn = keyof typeof inputs;
export const builtIns = Object.keys(inputs) as [BuiltIn, ...BuiltIn[]];
export type KindInput<Kind extends BuiltIn> = z.output<(typeof inputs)[Kind]>;

export const isBuiltIn = (kind: string): kind is BuiltIn => Object.hasOwn(inputs, kind);

/** An answer about a hostile input stays short. */
const MOST_ERRORS = 20;

/** Parses with defaults; the refusal names every wrong field, below `path`. */
export function readKind<Kind extends BuiltIn>(
  kind: Kind,
  given: unknown,
  path = "input_data",
): KindInput<Kind> {
  const read = inputs[kind].safeParse(given, { error: plainIssue });
  if (read.success) return read.data as KindInput<Kind>;
  const errors = read.error.issues.slice(0, MOST_ERRORS).map(
    (issue): FieldError => ({
      path: [path, ...issue.path].join(".").slice(0, 200),
      message: issue.message,
    }),
  );
  return refuseFields(errors);
}
