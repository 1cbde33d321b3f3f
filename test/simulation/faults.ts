import type { WorldName } from "./worlds.ts";

/**
 * Faults that the service had or could have, as replacements in a copy of one function: the product has no switch. `seed` is the
 * first that finds the fault; `steps` has its shortened story.
 */
export type Fault = {
  name: string;
  world: WorldName;
  file: string;
  seed: number;
  steps: number;
  was: string;
  is: string;
};

const FLOW = "src/api/serve/x402/payment-flow.ts";

export const faults: readonly Fault[] = [
  {
    name: "an authorization that a stranger carried first",
    world: "payments",
    file: FLOW,
    seed: 1,
    steps: 1,
    was: 'if (checked.status === "carried") await refuseIfCarriedByOthers(paid);',
    is: "",
  },
  {
    name: "equal payments judged at once",
    world: "payments",
    file: "src/domain/payments/payment.ts",
    seed: 4,
    steps: 2,
    was: `    if (!isFree(state)) refuse(paymentProblems["payment-known"], "this payment was presented before");
    // Both could`,
    is: `    // Both could`,
  },
  {
    name: "a transfer that a reorganisation took back stays settled",
    world: "payments",
    file: "src/reactors/payments/reconcile.ts",
    seed: 10,
    steps: 4,
    was: 'if (state.status === "settled" && !gone.has(state.settlement.block_hash)) return [];',
    is: 'if (state.status === "settled") return [];',
  },
  {
    name: "the answer of one call goes to another",
    world: "payments",
    file: "src/api/serve/x402/presented-status.ts",
    seed: 1,
    steps: 2,
    was: '  if (!isSameCall) throw used("this payment was used for another call; sign a new one");\n',
    is: "",
  },
  {
    name: "a folder's lock held by two",
    world: "folder",
    file: "src/adapters/folder-lock.ts",
    seed: 81,
    steps: 10,
    was: "await clearAbandoned(path, holder);\n      else",
    is: "await rm(path, { force: true });\n      else",
  },
  {
    name: "a lock's file that is empty before it has a name",
    world: "folder",
    file: "src/adapters/folder-lock.ts",
    seed: 489,
    steps: 7,
    was: `    await writeFile(aside, own, { mode: 0o600, flag: "wx" });
    await link(aside, path);
`,
    is: `    await writeFile(path, own, { mode: 0o600, flag: "wx" });
`,
  },
  {
    name: "a process sells on a second history",
    world: "history",
    file: "src/anchoring/log-acceptance.ts",
    seed: 17,
    steps: 4,
    was: `    await this.check();
    return this.#place;
`,
    is: `    await this.check();
    return undefined;
`,
  },
  {
    name: "a log set back is compared with its own signatures alone",
    world: "history",
    file: "src/anchoring/contradiction.ts",
    seed: 4,
    steps: 4,
    was: "[state.checkpoint, anchors.newestAnchor(state), kept]",
    is: "[state.checkpoint, anchors.newestAnchor(state)]",
  },
  {
    name: "a pull decided anew gets another task",
    world: "market",
    file: "src/api/operations/compute/dispenser.ts",
    seed: 359,
    steps: 6,
    was: "this.#earlier(request) ?? this.#fromPage(request)",
    is: "this.#fromPage(request)",
  },
  {
    name: "a pull decided anew is another command",
    world: "market",
    file: "src/api/serve/answer.ts",
    seed: 2,
    steps: 3,
    was: "const id = known.get(command) ?? Buffer",
    is: "const id = Buffer",
  },
  {
    name: "a column of trust that the fold does not store",
    world: "market",
    file: "src/projections/trust/work.ts",
    seed: 5,
    steps: 10,
    was: `(work, sx, points, fee_micro, counted_day, counted_position, punished) =
       row (excluded.work, excluded.sx, excluded`,
    is: `(work, points, fee_micro, counted_day, counted_position, punished) =
       row (excluded.work, excluded`,
  },
  {
    name: "a repeated pull gets another task",
    world: "market",
    file: "src/api/operations/compute/work.ts",
    seed: 4,
    steps: 3,
    was: "    if (before) {",
    is: "    if (before && !before) {",
  },
];
