import { createHash } from "node:crypto";
import { z } from "zod";
import { canonicalBytes } from "../../../../eventstore/canonical.ts";
import { InvalidEvent } from "../../../../eventstore/errors.ts";
import type { JsonObject } from "../../../../eventstore/types.ts";
import type { App } from "../../../core/app.ts";
import { MOST_OBJECT_BYTES, objectName } from "../../../core/model/objects.ts";
import { coreProblems } from "../../../core/model/problem.ts";
import { refuse, refuseField } from "../../../core/model/refusal.ts";
import {
  builtIns,
  isBuiltIn,
  LEAST_PRICE_MICRO,
  MOST_LIMIT_S,
  readKind,
} from "../../../domain/compute/kinds.ts";
import { kindName } from "../../../domain/compute/node.ts";
import { copyId, ownerOf } from "../../../domain/compute/quorum.ts";
import * as tasks from "../../../domain/compute/task.ts";
import { MOST_COPIES, verifications } from "../../../domain/compute/task-events.ts";
import { decimalUsdc } from "../../../domain/payments/usdc.ts";
import { callerStatusOf } from "../../../projections/compute/nodes.ts";
import { countAwaiting, listTasks, tasksProjection } from "../../../projections/compute/tasks.ts";
import { cancelCopies, makeCopies } from "../../../reactors/compute/quorum.ts";
import { stepTask } from "../../../reactors/compute/steps.ts";
import { agentNamed, refuseSuspended } from "../../agents/agents.ts";
import { account, json, operation, owner, subject, type Usdc } from "../../declare/index.ts";
import { nextCursor, pageInput, readPage } from "../../declare/page.ts";
import { fundsShown, holdFunds, shownFunds } from "../payments/funds.ts";
import {
  microOf,
  nowOf,
  refuseMissingTask,
  shownTask,
  sxOf,
  taskFor,
  taskId,
  taskShown,
  taskToDecide,
  usd,
} from "./fields.ts";

/** Room for the largest input_data and the JSON around it. */
const BODY_BYTES = MOST_OBJECT_BYTES + 16 * 1024;

const DAY_S = 86_400;

const seconds = (least: number, most: number) =>
  z
    .int(`is a whole number of seconds from ${least} to ${most}`)
    .min(least, `is at least ${least}`)
    .max(most, `is at most ${most}`);

const submission = z.object({
  task_type: kindName.describe(
    `The service checks ${builtIns.join(", ")}; any other name means what you and your workers agree`,
  ),
  input_data: z
    .record(z.string(), z.unknown(), "is a JSON object")
    .describe("The worker's input, at most 1 MiB: docs/compute.md"),
  max_price_usd: usd(0.000001, 10_000).describe(
    "The most that you pay, in dollars; this amount is reserved on submission",
  ),
  limit_s: seconds(10, DAY_S)
    .optional()
    .describe(
      `Seconds a worker has for it; default 600. Built-in kinds have at most ${MOST_LIMIT_S}, which is their default`,
    ),
  verify: z
    .enum(verifications, `is one of ${verifications.join(", ")}`)
    .optional()
    .describe(
      "rerun: the service runs it again, always or at random; only for built-in kinds, and their default. quorum: several nodes do it. requester: you accept or reject; silence for window_s accepts",
    ),
  copies: z
    .int(`is a whole number from 2 to ${MOST_COPIES}`)
    .min(2, "is at least 2")
    .max(MOST_COPIES, `is at most ${MOST_COPIES}`)
    .optional()
    .describe("For a quorum: number of nodes, each for max_price_usd at most; default 3"),
  agree: z
    .int("is a whole number")
    .min(2, "is at least 2")
    .max(MOST_COPIES, `is at most ${MOST_COPIES}`)
    .optional()
    .describe("For a quorum: how many must agree; default: more than half, the least allowed"),
  assign: z
    .string()
    .regex(/^(?:queue|agent:[A-Za-z0-9#._:-]{1,128})$/, "is queue, or agent:<agent_id or SX#number>")
    .default("queue")
    .describe("queue: any free node. agent:<id>: only that node, which must not be yours or bound to you"),
  min_trust: z
    .int("is a whole number of points from 0 to 100")
    .min(0, "is at least 0")
    .max(100, "is at most 100")
    .default(0)
    .describe("The lowest trust score of the worker"),
  window_s: seconds(60, 7 * DAY_S)
    .default(DAY_S)
    .describe("Seconds you have to accept or reject a result"),
  deadline_s: seconds(60, 30 * DAY_S)
    .default(7 * DAY_S)
    .describe("Seconds after which no node can start it any more"),
});
type Submission = z.output<typeof submission>;

const submitTask = operation({
  name: "compute_submit",
  route: "POST /soul/compute/submit",
  effect: { changes: "takes", repeatable: false, reaches_out: false },
  summary: "Submit a task: a worker does it, and is paid for a right result",
  description: `The task's highest price is reserved in your account. If the balance is too low, you get a 402 for that price. The payment that you send with
the same call is credited and reserved in one commit. A key names the account; a payment alone uses the wallet's account. Nine tenths of the price go to the worker; you get the rest back.`,
  access: [
    account(
      "order",
      (input: PricedInput) => decimalUsdc(reservedFor(input)) as Usdc,
      "1",
      "max_price_usd for each copy, in USDC",
    ),
  ],
  input: submission,
  output: json(taskShown.extend({ account: fundsShown })),
  status: 201,
  body_bytes: BODY_BYTES,
  moves_money: true,
  refuses: [404, 409],
  example: {
    task_type: "summarize",
    input_data: { text: "Pellets are cheapest in March, by the ton, from the mill.", words: 4 },
    max_price_usd: 0.02,
  },
  handle: async (context) => {
    const { input, app, caller, unit } = context;
    const submitted_at = nowOf(app);
    await refuseSuspended(context);
    const terms = await termsOf(app, input, caller.tenant, submitted_at);
    const bytes = bytesOf(input.input_data as JsonObject, "input_data");
    const input_sha256 = createHash("sha256").update(bytes).digest("hex");
    const hold = (of: string) => ({
      ...{ hold_id: tasks.holdOf(of), amount_micro: terms.max_price_micro, for: "a task" },
    });
    const copies = Array.from({ length: nodeCount(input) - 1 }, (_, at) =>
      hold(copyId(unit.fresh_id, at + 2)),
    );
    const first = hold(terms.quorum ? copyId(unit.fresh_id, 1) : unit.fresh_id);
    unit.store(objectName("task", unit.fresh_id, input_sha256), bytes);
    const funds = await holdFunds(context, first, ...copies);
    const facts = {
      task_id: unit.fresh_id,
      kind: input.task_type,
      input_sha256,
      input_bytes: bytes.length,
      terms,
    };
    const key = { tenant: caller.tenant, task_id: unit.fresh_id };
    await unit.watch(tasks, tasks.targetOf(caller.tenant, unit.fresh_id), { is_new: true });
    const { task } = await stepTask(unit, key, tasks.submit({ ...facts, copy_of: null, submitted_at }));
    const made = terms.quorum ? await makeCopies(unit, key, submitted_at) : task;
    return { ...shownTask(made), account: shownFunds(funds, submitted_at) };
  },
});

type PricedInput = Pick<Submission, "max_price_usd" | "verify" | "copies">;

const COPIES = 3;

const nodeCount = ({ verify, copies = COPIES }: Pick<PricedInput, "verify" | "copies">) =>
  verify === "quorum" ? copies : 1;

/** The sum to reserve for the task, in micro-USDC. */
const reservedFor = (input: PricedInput) => microOf(input.max_price_usd) * nodeCount(input);

/** How many copies are executed and must agree; null for a task that one node executes. */
function quorumOf({ verify, copies, agree }: Submission): { copies: number; agree: number } | null {
  if (verify !== "quorum") {
    const odd = copies === undefined ? agree !== undefined && "agree" : "copies";
    return odd ? refuseField(odd, "is only for a quorum: set verify to quorum, or omit it") : null;
  }
  const count = copies ?? COPIES;
  const most = Math.floor(count / 2) + 1;
  if (agree !== undefined && (agree < most || agree > count))
    refuseField("agree", `is from ${most} to ${count}, more than half of the copies`);
  return { copies: count, agree: agree ?? most };
}

/** The canonical bytes of a caller's JSON object. */
export function bytesOf(value: JsonObject, path: string): Buffer {
  try {
    const bytes = canonicalBytes(value, path);
    if (bytes.length <= MOST_OBJECT_BYTES) return bytes;
    return refuse(coreProblems["too-large"], `${path} exceeds ${MOST_OBJECT_BYTES / 1024} KiB`, {
      errors: [{ path, message: `is at most ${MOST_OBJECT_BYTES} bytes` }],
    });
  } catch (error) {
    if (!(error instanceof InvalidEvent)) throw error;
    return refuseField(path, error.message.slice(0, 200));
  }
}

/** The service refuses tasks that need an audit while this many results wait for one. */
const MOST_AUDITS = 1_000;

async function termsOf(app: App, input: Submission, tenant: string, submitted_at: string) {
  const { task_type, min_trust, window_s, deadline_s } = input;
  const max_price_micro = microOf(input.max_price_usd);
  const own = isBuiltIn(task_type);
  const { limit_s = own ? MOST_LIMIT_S : 600, verify = own ? "rerun" : "requester" } = input;
  if (own) {
    readKind(task_type, input.input_data);
    if (limit_s > MOST_LIMIT_S) refuseField("limit_s", `is at most ${MOST_LIMIT_S} in a built-in kind`);
    if (max_price_micro < LEAST_PRICE_MICRO)
      refuseField(
        "max_price_usd",
        `is at least ${decimalUsdc(LEAST_PRICE_MICRO)} for a built-in kind, which the service re-runs`,
      );
  } else if (verify === "rerun")
    refuseField(
      "verify",
      `must be requester or quorum here: the service re-runs only the kinds ${builtIns.join(", ")}`,
    );
  if (verify === "rerun" && (await countAwaiting(app.pool, MOST_AUDITS)) === MOST_AUDITS)
    refuse(coreProblems.busy, "too many results wait for a check; retry in a minute", {
      retry_after_s: 60,
    });
  const assignee =
    input.assign === "queue" ? null : await agentNamed(app, input.assign.slice("agent:".length));
  const deadline_at = new Date(Date.parse(submitted_at) + deadline_s * 1_000).toISOString();
  const assign = assignee?.facts.sx_number ?? null;
  if (assign !== null) await refuseOwn(app, assign, tenant);
  const quorum = quorumOf(input);
  if (quorum && assignee) refuseField("assign", "is queue for a quorum: several nodes do the task");
  return { max_price_micro, limit_s, verify, quorum, assign, min_trust, window_s, deadline_at };
}

/** A node gets no task of a party related to it, because it could buy itself a history of valid results. */
async function refuseOwn(app: App, sx: number, tenant: string): Promise<void> {
  const { bound } = await callerStatusOf(app.pool, sx);
  if (bound.includes(tenant))
    refuseField(
      "assign",
      "names a node of your own side (same agent, a delegation between you, or its wallet paid for you): name another node or use the queue",
    );
}

/** The ways in for both parties: the agent by its own key, the requester by key or wallet. */
const parties = [subject("order"), owner("order")];

const taskStatus = operation({
  name: "compute_task_status",
  route: "GET /soul/compute/status/{task_id}",
  summary: "A task's status and result",
  description: "Only its requester and its current or last worker see it; anybody else gets a 404.",
  access: parties,
  input: z.object({ task_id: taskId }),
  output: json(
    taskShown.extend({
      result: z
        .record(z.string(), z.unknown())
        .nullable()
        .describe("The worker's result; null before, and from 30 days after the task's end"),
    }),
  ),
  refuses: [404],
  example: { task_id: "00".repeat(16) },
  example_from: { task_id: ["compute_submit"] },
  handle: async ({ input: { task_id }, app, caller }) => {
    const { task } = await taskFor(app, caller, task_id);
    const sha256 = task.result?.output_sha256 ?? task.judged?.canonical_sha256 ?? undefined;
    return { ...shownTask(task), result: await readObject(app, task_id, sha256) };
  },
});

/** Reads an object; null if it is not stored, or no longer. */
export async function readObject(
  app: App,
  task_id: string,
  sha256: string | undefined,
): Promise<JsonObject | null> {
  const bytes =
    sha256 === undefined ? undefined : await app.objects.get(objectName("task", ownerOf(task_id), sha256));
  return bytes ? (JSON.parse(bytes.toString()) as JsonObject) : null;
}

const listOwn = operation({
  name: "compute_tasks",
  route: "GET /soul/compute/tasks",
  summary: "Your tasks: submitted by you, or assigned to your node",
  description: "Newest first.",
  access: parties,
  lists: tasksProjection,
  input: z.object({
    role: z
      .enum(["submitted", "assigned"], "is submitted or assigned")
      .default("submitted")
      .describe("submitted: your own. assigned: currently or last on your node"),
    status: z
      .enum(tasks.statuses, `is one of ${tasks.statuses.join(", ")}`)
      .optional()
      .describe("Only with this status"),
    ...pageInput,
  }),
  output: json(z.object({ tasks: z.array(taskShown), next_cursor: nextCursor })),
  refuses: [403],
  example: { limit: 5 },
  handle: async ({ input, app, caller }) => {
    const { role, status = null, limit, cursor } = input;
    const sx = sxOf(caller);
    if (role === "assigned" && sx === undefined)
      refuse("forbidden", "tasks are assigned to agents: use an agent's own key, sk_soul_…");
    const of = role === "assigned" ? { sx: sx! } : { tenant: caller.tenant };
    const { page, next_cursor } = await readPage({ limit, cursor }, (rows) =>
      listTasks(app.pool, of, { status, ...rows }),
    );
    return { tasks: page.map(({ state }) => shownTask(state)), next_cursor };
  },
});

const cancelTask = operation({
  name: "compute_cancel",
  route: "POST /soul/compute/cancel",
  effect: { changes: "takes", repeatable: true, reaches_out: false },
  summary: "Cancel a task that is not started",
  description: "The reserved money comes back at once. A repeat returns the same.",
  access: parties,
  input: z.object({ task_id: taskId }),
  output: json(taskShown),
  refuses: [404, 409],
  example: { task_id: "00".repeat(16) },
  example_from: { task_id: ["compute_submit"] },
  handle: async ({ input: { task_id }, app, caller, unit }) => {
    await refuseSuspended({ app, caller, unit });
    const { tenant, side, task: before } = await taskToDecide({ app, caller, unit }, task_id);
    if (side !== "requester" || before.facts.copy_of) refuseMissingTask();
    const key = { tenant, task_id };
    const at = nowOf(app);
    if (before.facts.terms.quorum) return shownTask(await cancelCopies(unit, key, at));
    return shownTask((await stepTask(unit, key, tasks.cancel(at))).task);
  },
});

export const taskOperations = [submitTask, taskStatus, listOwn, cancelTask];
