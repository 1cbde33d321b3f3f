/**
 * A log that contradicts what was signed or anchored of it takes nothing more: whatever came next would be disputed too.
 *
 * A look holds the log's tree against every head that is known, and leaves a place: the last position of the largest head, and
 * the hash of all that stands up to there. Every append is made only if the log still has that place, which Postgres checks in the
 * statement that appends, so nothing goes round it and nothing is believed for a while. A new head asks for a new look.
 */
import type { AppendPrecondition } from "../../eventstore/combiner.ts";
import { type LogHead, MAIN_LOG } from "../../eventstore/types.ts";
import type { App, LogAcceptance } from "../core/app.ts";
import type { StoredHead } from "../core/model/ports/signed-heads.ts";
import { Refusal } from "../core/model/refusal.ts";
import * as anchors from "../domain/anchoring/anchor.ts";
import { logProblems } from "../domain/anchoring/problems.ts";
import { checkNewestCommit, faultSentence, rowFault } from "./check-rows.ts";
import { contradictionOf, headsKnown, type SaidHead } from "./contradiction.ts";
import { askOthers, contradictionOfProven, provenHeads } from "./proven-heads.ts";
import { openTree } from "./tile-store.ts";

/** While appends go on, all is looked at again so often: a place does not show what is missing below it. */
const LOOK_AGAIN_MS = 2_000;
/** More events than the tail keeps are not searched for heads: a look costs less. */
const MOST_NEWS = 1_000;

/** At a start the chain and each witness have so long to answer. */
const START_MS = 5_000;

type StartLog = Record<"info" | "warn" | "error", (facts: object, message: string) => void>;

/** What the log is held against in one process. `app` is asked for once it is there. */
export function createAccepting(
  app: () => App,
  log: StartLog,
): LogAcceptance & { ground: AppendPrecondition } {
  /** The chain and the witnesses, asked once before the first append. */
  let others: Promise<void> | undefined;
  /** How many proven heads the last look held the log against, and when they were read. */
  let proven = 0;
  let proven_at = 0;
  let place: LogHead | undefined;
  /** The last look was made and found nothing. */
  let isSound = false;
  let looked_at = 0;
  let looking: Promise<string | null> | undefined;
  /** What the last look knew of: the position up to which the log was heard, and what this machine remembers. */
  let heard = 0;
  let kept: StoredHead | undefined;
  /** The largest head that was heard of, should the log have lost its event by now. */
  let said: SaidHead | undefined;
  /** How often something was heard. */
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
      log.error({ reason: contradiction }, "the log contradicts what others hold of it");
    if (silent.length === 0) return;
    if (reached === 0)
      log.warn(
        { silent },
        "neither the chain nor a witness can be asked which log is the right one; the service goes on and asks again",
      );
    else log.info({ silent }, "at this start not everybody could be asked which log is the right one");
  }

  const look = (): Promise<string | null> => {
    looking ??= find().finally(() => {
      looking = undefined;
    });
    return looking;
  };

  /** A look that begins now. */
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
      const known = await headsKnown(app());
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
        // A tree that lacks rows is made anew of the events; a log that was cut or rewritten stays so.
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

  /** What this process has seen to be signed does not change, also where the tree was made anew of other events. */
  async function lostPlace(store: App["store"]): Promise<string | null> {
    if (!place || (await holds(store, place))) return null;
    const { position } = await store.head(MAIN_LOG);
    return position < place.position
      ? `${place.position} events were signed or anchored, and the log has ${position}: it was cut`
      : `the first ${place.position} events are not those that were signed or anchored`;
  }

  /** Takes up what became known since the last look, by this machine or by the log, whoever appended it: then that is not the last word. */
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

  /** Takes up what other processes have proven since. */
  async function listenToOthers(): Promise<void> {
    if (performance.now() - proven_at < LOOK_AGAIN_MS) return;
    proven_at = performance.now();
    if ((await provenHeads(app())).length === proven) return;
    isSound = false;
    news++;
  }

  /** Refuses where the last look found something, or could not be made, and a new one does not say otherwise. */
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
    // Whoever comes next is told what this one finds.
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
    ground: {
      async place(log_id) {
        if (log_id !== MAIN_LOG) return undefined;
        await check();
        return place;
      },
      lost,
    },
  };
}

/** The tree head that an event states. */
const headOf = (event: anchors.AnchorEvent): SaidHead[] =>
  event.type === "CheckpointSigned" || event.type === "Anchored" ? [event.data] : [];

async function holds(store: App["store"], { position, log_hash }: LogHead): Promise<boolean> {
  const now = await store.headAt(position, MAIN_LOG);
  return now !== undefined && Buffer.from(now.log_hash).equals(log_hash);
}

const contradicted = (reason: string) =>
  new Refusal(
    logProblems["log-contradicted"],
    `${reason}; nothing is recorded or sold until its operator has restored it, and reading goes on`,
  );

/** Nobody can say that the log is the one that was signed, so nobody may go on as if it were. */
const unchecked = (cause: unknown) =>
  new Refusal(
    logProblems["log-unchecked"],
    "the log cannot be held against what was signed of it at the moment; nothing is recorded or sold until it can, so ask again",
    { cause, retry_after_s: 5 },
  );

const rejectUnchecked = (cause: unknown): never => {
  throw unchecked(cause);
};
