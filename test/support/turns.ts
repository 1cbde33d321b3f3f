/** Turns of reactors taken by hand, each under its lease, as the service takes them. */
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

/** `taken`: another process holds the lease. */
export type Taken = { status: string; reason?: string };

export type TurnOptions = {
  log?: ReactorLog;
  /** How long the lease of a process that dies in the turn outlives it; five seconds when absent. */
  seconds?: number;
  /** Waits for the lease while another process holds it. */
  patient?: boolean;
};

const silent: ReactorLog = { info: () => {}, warn: () => {}, error: () => {} };

/** One turn of this work, under the lease of the reactor of that name. */
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
    if (outcome === "idle") return { status: "done" };
    if (outcome !== "taken" || !patient) return typeof outcome === "string" ? { status: outcome } : outcome;
    await new Promise((wake) => setTimeout(wake, 20));
  }
}

/** One turn of a reactor, with what it remembers of turns before: `begun` by its `begin`. */
export const turn = (
  app: App,
  reactor: Reactor,
  { begun = reactor.begin(), ...options }: TurnOptions & { begun?: ReturnType<Reactor["begin"]> } = {},
): Promise<Taken> => turnOf(app, reactor.name, begun, options);

/** What is killed in a turn keeps its lease for so long: a busy machine renews it all the same, and the next process need not wait much. */
export const DOOMED_SECONDS = 3;

/** Turn after turn, of a process that ends itself in one of them: a turn may leave to the next one what a read model does not know yet. */
export async function turnsUntilKilled(app: App, reactor: Reactor): Promise<never> {
  for (;;) await turn(app, reactor, { seconds: DOOMED_SECONDS, patient: true });
}

/** Does the work while no other process can take the reactor's turn; "taken" where one holds the lease. */
export const alone = <T>(app: App, name: string, work: () => Promise<T>): Promise<T | "taken"> =>
  underLease(reactorLeases(app.pool), name, work);
