/** Runs reactors' ticks by hand, each under its lease, like the service. */
import type { App } from "../../src/core/app.ts";
import {
  type Outcome,
  type Reactor,
  type ReactorLog,
  reactorLeases,
  runTick,
  type Tick,
} from "../../src/core/background/reactor.ts";
import { underLease } from "../../src/core/coordination/lease.ts";

/** `taken`: another process has the lease. */
export type Taken = { status: string; reason?: string };

export type TurnOptions = {
  log?: ReactorLog;
  /** How long a dead process's lease lasts. Default: five seconds. */
  seconds?: number;
  /** Waits for the lease while another process has it. */
  patient?: boolean;
};

const silent: ReactorLog = { info: () => {}, warn: () => {}, error: () => {} };

/** One tick of this work, under the lease of the named reactor. */
export async function turnOf(
  app: App,
  name: string,
  take: (turn: Omit<Tick, "memory">) => Promise<Outcome>,
  { log = silent, seconds, patient = false }: TurnOptions = {},
): Promise<Taken> {
  for (;;) {
    const outcome = await underLease(reactorLeases(app.pool, seconds), name, (lease) =>
      runTick(take, { app, log, lease, signal: lease.lost }),
    );
    if (
      outcome === "idle" ||
      outcome === "unmoved" ||
      (typeof outcome === "object" && "idle_until" in outcome)
    )
      return { status: "done" };
    if (outcome !== "taken" || !patient) return typeof outcome === "string" ? { status: outcome } : outcome;
    await new Promise((wake) => setTimeout(wake, 20));
  }
}

/** One tick of a reactor, with its memory of earlier ticks: `begun` by its `begin`. */
export const turn = (
  app: App,
  reactor: Reactor,
  { begun = reactor.begin(), ...options }: TurnOptions & { begun?: ReturnType<Reactor["begin"]> } = {},
): Promise<Taken> => turnOf(app, reactor.name, begun, options);

/**
 * The lease of a process killed in a tick: long enough for a busy machine to renew, short enough for the next
 * process.
 */
export const DOOMED_SECONDS = 3;

/**
 * Repeats ticks of a process that kills itself in one of them: a tick may leave work to the next while a read model
 * lags.
 */
export async function turnsUntilKilled(app: App, reactor: Reactor): Promise<never> {
  for (;;) await turn(app, reactor, { seconds: DOOMED_SECONDS, patient: true });
}

/** Runs the work while no other process can run the reactor's tick; "taken" if one has the lease. */
export const alone = <T>(app: App, name: string, work: () => Promise<T>): Promise<T | "taken"> =>
  underLease(reactorLeases(app.pool), name, work);
