/** A process of the service: its code runs in this one, and what it awaits never returns once it has died. */
import type { VirtualClock } from "./clock.ts";

const never = new Promise<never>(() => {});

/** Others count a silent process as dead after this time. */
const LIVES_MS = 10_000;

export class Host {
  readonly clock: VirtualClock;
  readonly name: string;
  /** Undefined while it lives. */
  died_at: number | undefined;
  /** It pauses until then, as a stopped or swapped-out process does. */
  paused_until = 0;
  #heard = 0;

  constructor(clock: VirtualClock, name: string) {
    this.clock = clock;
    this.name = name;
  }

  /** Waits as long as a network may take. A dead process never hears the answer. */
  async io(least: number, most: number): Promise<void> {
    await this.clock.sleep(this.clock.between(least, most));
    if (this.died_at === undefined && this.clock.now < this.paused_until)
      await this.clock.sleep(this.paused_until - this.clock.now);
    if (this.died_at !== undefined) await never;
    this.#heard = this.clock.now;
  }

  /** When it last renewed its presence, as the others see it. */
  get seen(): number {
    if (this.died_at !== undefined) return this.died_at;
    return this.clock.now < this.paused_until ? this.#heard : this.clock.now;
  }

  leftMs(): number {
    return Math.max(0, this.seen + LIVES_MS - this.clock.now);
  }
}
