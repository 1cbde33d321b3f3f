/**
 * A log that contradicts its signed or anchored heads accepts nothing more: later events would be disputed too.
 *
 * A check compares the log's tree with every known head. It leaves a precondition: the last position of the largest
 * head, and the hash of the log up to there. Postgres tests the precondition in each append statement, so no append
 * bypasses it, and nothing is trusted for a while. A new head requires a new check.
 */
import type { AppendPrecondition } from "../../eventstore/combiner.ts";
import { type LogHead, MAIN_LOG } from "../../eventstore/types.ts";
import type { App, LogAcceptance } from "../core/app.ts";
import type { StoredHead } from "../core/model/ports/signed-heads.ts";
import { Refusal } from "../core/model/refusal.ts";
import * as anchors from "../domain/anchoring/anchor.ts";
import { logProblems } from "../domain/anchoring/problems.ts";
import { checkNewestCommit, faultSentence, rowFault } from "./check-rows.ts";
import { type ClaimedHead, contradictionOf, knownHeads } from "./contradiction.ts";
import { askOthers, contradictionOfProven, provenHeads } from "./proven-heads.ts";
import { openTree } from "./tile-store.ts";

/** While appends continue, the whole check is repeated this often: the precondition does not cover rows below it. */
const LOOK_AGAIN_MS = 2_000;
/** Beyond the tail's cached events, heads are not searched for: a full check is cheaper. */
const MOST_NEWS = 1_000;

/** At the start, the chain and each witness have this long to answer. */
const START_MS = 5_000;

type StartLog = Record<"info" | "warn" | "error", (facts: object, message: string) => void>;

/** `app` is read at its first use, once it exists. */
export function createLogAcceptance(
  app: () => App,
  log: StartLog,
): LogAcceptance & { precondition: AppendPrecondition } {
  /** The chain and the witnesses are queried once, before the first append. */
  let others: Promise<void> | undefined;
  /** The number of proven heads in the last check, and when they were read. */
  let proven = 0;
  let proven_at = 0;
  let place: LogHead | undefined;
  /** The last check succeeded. */
  let isSound = false;
  let looked_at = 0;
  let looking: Promise<string | null> | undefined;
  /** The last check's inputs: the position up to which the log was read, and what this machine remembers. */
  let heard = 0;
  let kept: StoredHead | undefined;
  /** The largest head received, in case the log has lost its event. */
  let said: ClaimedHead | undefined;
  let news = 0;

  const askedOthers = (): Promise<void> => {
    others ??= askAtStart().catch((error) => {
      others = undefined;
      throw error;
    });
    return others;
  };

  async function askAtStart(): Promise<void> {
    await checkNewestCommit(app());
    if (app().settings.anchoring === undefined) return;
    const { reached, silent, contradiction } = await askOthers(app(), START_MS);
    if (contradiction !== null)
      log.error({ reason: contradiction }, "the log contradicts the heads of others");
    if (silent.length === 0) return;
    if (reached === 0)
      log.warn(
        { silent },
        "neither the chain nor a witness can confirm this log; the service continues and asks again",
      );
    else log.info({ silent }, "at this start not every chain or witness could confirm this log");
  }

  const look = (): Promise<string | null> => {
    looking ??= find().finally(() => {
      looking = undefined;
    });
    return looking;
  };

  const lookAfresh = async (): Promise<string | null> => {
    await looking?.catch(() => undefined);
    return look();
  };

  async function find(): Promise<string | null> {
    const { store, pool, tail } = app();
    const { position } = tail;
    const begun = news;
    looked_at = performance.now();
    try {
      const known = await knownHeads(app());
      const heads = [...known.heads, ...(said ? [said] : [])];
      const newest = Math.max(0, ...heads.map(({ size }) => size));
      const next = newest > (place?.position ?? 0) ? await store.headAt(newest) : place;
      const others_heads = await provenHeads(app());
      const compare = async () =>
        (await lostPlace(store)) ??
        (await contradictionOf(app(), heads)) ??
        (await contradictionOfProven(app(), others_heads)) ??
        (await editedRow());
      let reason = await compare();
      if (reason !== null) {
        // A tree without its rows is rebuilt from the events; a truncated or rewritten log stays wrong.
        await openTree(pool, MAIN_LOG)
          .grow()
          .catch(() => undefined);
        reason = await compare();
      }
      isSound = reason === null && begun === news;
      if (reason === null) place = next;
      heard = Math.max(heard, position);
      kept = known.kept;
      proven = others_heads.length;
      proven_at = looked_at;
      return reason;
    } catch (error) {
      isSound = false;
      throw error;
    }
  }

  async function editedRow(): Promise<string | null> {
    const fault = await rowFault(app());
    return fault ? faultSentence(fault) : null;
  }

  /** A head that this process saw signed stays valid, even if the tree was rebuilt from other events. */
  async function lostPlace(store: App["store"]): Promise<string | null> {
    if (!place || (await holds(store, place))) return null;
    const { position } = await store.head(MAIN_LOG);
    return position < place.position
      ? `${place.position} events were signed or anchored, and the log has ${position}: it was cut`
      : `the first ${place.position} events are not those that were signed or anchored`;
  }

  /** Reads new heads of this machine and the log, from any process; they invalidate the last check. */
  async function listen(): Promise<void> {
    const { store, tail, signed } = app();
    const { origin } = await store.identity(MAIN_LOG);
    await listenToOthers();
    const isKept = (await signed.last(origin))?.note === kept?.note;
    const isLate = tail.position - heard > MOST_NEWS;
    const events = isLate || tail.position <= heard ? [] : await tail.since(heard);
    const heads = app().eventsOf(anchors, events).flatMap(headOf);
    for (const head of heads) if (head.size > (said?.size ?? 0)) said = head;
    heard = Math.max(heard, events.at(-1)?.position ?? 0);
    if (isKept && !isLate && heads.length === 0) return;
    isSound = false;
    news++;
  }

  /** Reads the heads that other processes have proven since. */
  async function listenToOthers(): Promise<void> {
    if (performance.now() - proven_at < LOOK_AGAIN_MS) return;
    proven_at = performance.now();
    if ((await provenHeads(app())).length === proven) return;
    isSound = false;
    news++;
  }

  /** Refuses if the last check failed or was impossible, unless a new check succeeds. */
  async function check(): Promise<void> {
    try {
      await askedOthers();
      await listen();
      while (!isSound) {
        const reason = await look();
        if (reason !== null) throw contradicted(reason);
      }
    } catch (error) {
      throw error instanceof Refusal ? error : unchecked(error);
    }
    // The next caller gets this result.
    if (performance.now() - looked_at > LOOK_AGAIN_MS) void look().catch(() => undefined);
  }

  const contradiction = () => askedOthers().then(lookAfresh).catch(rejectUnchecked);

  const lost = async (): Promise<Error> =>
    contradiction().then(
      (reason) => contradicted(reason ?? "the log was not the one that was signed a moment ago"),
      (error: Error) => error,
    );

  return {
    check,
    contradiction,
    suspect() {
      isSound = false;
      news++;
    },
    async confirm() {
      await check();
      const isHeld = !place || (await holds(app().store, place).catch(rejectUnchecked));
      if (!isHeld) throw await lost();
    },
    precondition: {
      async place(log_id) {
        if (log_id !== MAIN_LOG) return undefined;
        await check();
        return place;
      },
      lost,
    },
  };
}

const headOf = (event: anchors.AnchorEvent): ClaimedHead[] =>
  event.type === "CheckpointSigned" || event.type === "Anchored" ? [event.data] : [];

async function holds(store: App["store"], { position, log_hash }: LogHead): Promise<boolean> {
  const now = await store.headAt(position, MAIN_LOG);
  return now !== undefined && Buffer.from(now.log_hash).equals(log_hash);
}

const contradicted = (reason: string) =>
  new Refusal(
    logProblems["log-contradicted"],
    `${reason}; nothing is recorded or sold until its operator has restored it, and reading continues`,
  );

/** Without evidence that the log is the signed one, no event may be appended. */
const unchecked = (cause: unknown) =>
  new Refusal(
    logProblems["log-unchecked"],
    "the log cannot be compared with its signed heads at the moment; nothing is recorded or sold until it can, so try again",
    { cause, retry_after_s: 5 },
  );

const rejectUnchecked = (cause: unknown): never => {
  throw unchecked(cause);
};
