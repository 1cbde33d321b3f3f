/** Posts notices to the webhooks that subscribed: for each subject in log order, and each at least once. */
import type { App } from "../../core/app.ts";
import { idleUntil, type Outcome, reactor, type Tick } from "../../core/background/reactor.ts";
import { pause } from "../../core/coordination/concurrency.ts";
import { EVERYBODY } from "../../domain/notices/kinds.ts";
import { noticeMessage } from "../../domain/notices/message.ts";
import type { Delivery, Subscription } from "../../domain/notices/subscription.ts";
import * as subscriptions from "../../domain/notices/subscription.ts";
import {
  type Notice,
  noticesAfter,
  noticesProjection,
  tenantsNoticed,
} from "../../projections/notices/notices.ts";
import {
  failingSubscriptions,
  noticeSubscriptionsProjection,
  type SubscriptionKey,
  subscriptionsToServe,
} from "../../projections/notices/subscriptions.ts";
import { post } from "../webhooks/post.ts";

/** Subscriptions that are served at once: a slow webhook holds up its own alone. */
const AT_ONCE = 200;
/** Subjects of a subscription whose notices go out at once. */
const SUBJECTS = 8;
/** Notices of a subscription in one record, so that a crash repeats only so many. */
const A_RECORD = 50;
/** A tick leaves deliveries that take longer to the next one. */
const SLOW_MS = 200;

const meta = { actor: "reactor:notices", operation: "notices.deliver" };

/**
 * `position`: subscriptions with notices or a change up to there were served. `serving`: deliveries that still run.
 */
export type Memory = {
  position: number;
  waiting: Map<string, SubscriptionKey>;
  serving: Map<string, Promise<void>>;
  failure: unknown;
};

export const startMemory = (): Memory => ({
  position: 0,
  waiting: new Map(),
  serving: new Map(),
  failure: undefined,
});

export const noticesReactor = reactor({
  name: "notice-deliveries",
  every_ms: 100,
  memory: startMemory,
  take: serveDue,
  failures: { failed: "notices cannot be delivered; trying again" },
  resumed: "notices are delivered again",
});

export async function serveDue({ app, memory, signal }: Tick<Memory>): Promise<Outcome<"done">> {
  const current = await Promise.all([
    app.caughtUp(noticesProjection),
    app.caughtUp(noticeSubscriptionsProjection),
  ]);
  const at = app.clock.now().toISOString();
  for (const key of await newlyDue(app, memory, at)) memory.waiting.set(key.id, key);
  startServing(app, memory, signal);
  const running = Promise.all(memory.serving.values());
  // A service that stops, or has lost its lease, ends what it began.
  await (signal.aborted ? running : Promise.race([running, pause(SLOW_MS, signal)]));
  if (signal.aborted) await running;
  const { failure } = memory;
  memory.failure = undefined;
  if (failure) throw failure;
  const isIdle = memory.waiting.size === 0 && memory.serving.size === 0 && current.every(Boolean);
  if (!isIdle) return "done";
  return idleUntil((await failingSubscriptions(app.pool)).retry_at);
}

async function newlyDue(app: App, memory: Memory, at: string): Promise<SubscriptionKey[]> {
  const positions = await Promise.all([
    app.runner.positionOf(noticesProjection),
    app.runner.positionOf(noticeSubscriptionsProjection),
  ]);
  const [after, through] = [memory.position, Math.min(...positions)];
  const noticed = after === 0 ? "all" : await tenantsNoticed(app.pool, { after, through });
  const tenants = noticed === "all" || noticed.includes(EVERYBODY) ? "all" : noticed;
  const due = await subscriptionsToServe(app.pool, { changed_after: after, at, tenants });
  memory.position = through;
  return due;
}

function startServing(app: App, memory: Memory, signal: AbortSignal): void {
  for (const [id, key] of memory.waiting) {
    if (signal.aborted || memory.serving.size >= AT_ONCE) return;
    if (memory.serving.has(id)) continue;
    memory.waiting.delete(id);
    const served = serve(app, key, signal)
      .then((isLeft) => {
        if (isLeft) memory.waiting.set(id, key);
      })
      .catch((error) => {
        memory.waiting.set(id, key);
        memory.failure ??= error;
      })
      .finally(() => memory.serving.delete(id));
    memory.serving.set(id, served);
  }
}

/** Delivers a subscription's next notices, and records them; true if more may go out now. */
async function serve(app: App, target: SubscriptionKey, signal: AbortSignal): Promise<boolean> {
  const state = await app.load(subscriptions, target);
  if (state?.status !== "active") return false;
  const now = app.clock.now().toISOString();
  const window = await nextNotices(app, target.tenant, state);
  const lines = linesOf(state, window, now);
  if (lines.length === 0) return false;
  const taken: number[] = [];
  const failed: Delivery["failed"][number][] = [];
  let lost: unknown;
  const worker = async () => {
    for (let line = lines.shift(); line && !lost; line = lines.shift())
      for (const notice of line) {
        if (signal.aborted || lost || taken.length >= A_RECORD) return;
        const outcome = await post(app, noticeMessage(app.signer, state, notice, app.clock.now())).catch(
          (error) => {
            // Notices that were taken before are recorded all the same.
            lost = error;
          },
        );
        if (!outcome) return;
        if (outcome.kind === "taken") taken.push(notice.position);
        else {
          const chance = Buffer.from(app.random.bytes(4)).readUInt32BE() / 2 ** 32;
          failed.push({
            notice: notice.position,
            subject: subjectOf(notice),
            failure: outcome.failure,
            chance,
          });
          break;
        }
      }
  };
  await Promise.all(Array.from({ length: Math.min(SUBJECTS, lines.length) }, worker));
  if (taken.length + failed.length > 0) {
    const open = window.map(({ position }) => position).filter((position) => !taken.includes(position));
    const decision = subscriptions.deliver({ taken, open, failed }, app.clock.now().toISOString());
    await app.decide(subscriptions, target, decision, { meta });
  }
  if (lost) throw lost;
  return taken.length > 0;
}

async function nextNotices(app: App, tenant: string, state: Subscription): Promise<Notice[]> {
  const { kinds, products } = state.facts;
  const { epoch } = await app.store.identity();
  const page = { after: state.through, limit: subscriptions.WINDOW };
  const notices = await noticesAfter(app.pool, epoch, { tenant, kinds, products }, page);
  return notices.filter(({ position }) => !state.ahead.includes(position));
}

const subjectOf = ({ kind, subject_id }: Notice): string => `${kind}:${subject_id}`;

/** The notices that may go out, a line for each subject: a subject that failed waits, and all of it with it. */
function linesOf(state: Subscription, window: readonly Notice[], now: string): Notice[][] {
  const lines = new Map<string, Notice[]>();
  for (const notice of window)
    lines.set(subjectOf(notice), [...(lines.get(subjectOf(notice)) ?? []), notice]);
  const isDown = state.failing.length >= subscriptions.MOST_FAILING;
  return [...lines].flatMap(([subject, line]) => {
    const until = subscriptions.blockedUntil(state, subject);
    if (until !== undefined) return until > now ? [] : [line];
    return isDown ? [] : [line];
  });
}
