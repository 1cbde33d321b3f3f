/** Blocks of the chain that events name: an event that names a block was not recorded before it. */
import { eventsWith } from "./event-lines.ts";
import type { Fault } from "./fault.ts";

/** When a block was made, in seconds of Unix time; of one that the chain does not have yet, the time of its newest. */
export type BlockTimes = (numbers: readonly number[]) => Promise<ReadonlyMap<number, number>>;

/** Clocks of a service and of a chain differ. */
export const CLOCK_S = 120;

const MEMBERS = ["block_number", "seen_block", "from_block"] as const;

/** Blocks beyond these are not kept; docs/event-log.md, section 7, names the limit. */
export const MOST_BLOCKS = 1_000_000;

type Dated = { block: number; recorded_at_us: number; place: number };

/** A run of blocks, in order, of which it is not known yet whether all were there in time. */
type Run = readonly Dated[];

export class NamedBlocks {
  /** Of each block, the event that names it earliest. */
  readonly #earliest = new Map<number, Dated>();
  #left_out: Fault | undefined;

  readonly #chain_id: number;

  constructor(chain_id: number) {
    this.#chain_id = chain_id;
  }

  /** Whole lines of an export. */
  takeLines(lines: Buffer): void {
    for (const { payload, recorded_at_us, position, version } of eventsWith(lines, MEMBERS))
      if (typeof payload === "string")
        this.take(payload, Number(recorded_at_us), Number(position ?? version));
  }

  take(payload: string, recorded_at_us: number, place: number): void {
    if (!MEMBERS.some((name) => payload.includes(name))) return;
    for (const block of blocksIn(payload, this.#chain_id)) {
      const known = this.#earliest.get(block);
      if (known && known.recorded_at_us <= recorded_at_us) continue;
      if (!known && this.#earliest.size >= MOST_BLOCKS)
        this.#left_out ??= {
          place,
          reason: `events name more blocks than ${MOST_BLOCKS}, which is the limit`,
        };
      else this.#earliest.set(block, { block, recorded_at_us, place });
    }
  }

  /**
   * The first event, by its block, that is dated before a block it names. Blocks follow each other in time, so one question is
   * enough for a run whose events all come after its last block.
   */
  async early(timesOf: BlockTimes): Promise<Fault | undefined> {
    const all = [...this.#earliest.values()].sort((a, b) => a.block - b.block);
    let runs: Run[] = all.length > 0 ? [all] : [];
    let found: { dated: Dated; made: number } | undefined;
    while (runs.length > 0) {
      const times = await timesOf(runs.map((run) => run.at(-1)!.block));
      const next: Run[] = [];
      for (const run of runs) {
        const last = run.at(-1)!;
        if (found && run[0]!.block > found.dated.block) continue;
        const made = times.get(last.block);
        if (made === undefined) continue;
        if (isBefore(last, made) && !(found && found.dated.block < last.block)) found = { dated: last, made };
        const open = run.slice(
          0,
          run.findLastIndex((one, n) => n < run.length - 1 && isBefore(one, made)) + 1,
        );
        const middle = Math.ceil(open.length / 2);
        next.push(...[open.slice(0, middle), open.slice(middle)].filter(({ length }) => length > 0));
      }
      runs = next;
    }
    if (!found) return this.#left_out;
    const { dated, made } = found;
    return {
      place: dated.place,
      reason: `the event is dated ${timeOf(dated.recorded_at_us / 1_000_000)} and names block ${dated.block} of ${timeOf(made)}`,
    };
  }
}

const isBefore = ({ recorded_at_us }: Dated, made: number): boolean =>
  recorded_at_us < (made - CLOCK_S) * 1_000_000;

/** Seconds of Unix time; what others sign may be a time that no calendar has. */
export const timeOf = (seconds: number): string => {
  const date = new Date(seconds * 1_000);
  return Number.isNaN(date.getTime()) ? `${seconds} s` : date.toISOString();
};

/** Only the payload's own members count: deeper ones may be a caller's words. Another network has other blocks. */
function blocksIn(payload: string, chain_id: number): number[] {
  try {
    const members = JSON.parse(payload) as Record<string, unknown>;
    const { network } = members;
    if (typeof network === "string" && network !== `eip155:${chain_id}`) return [];
    return MEMBERS.map((name) => members[name]).filter(isBlock);
  } catch {
    // The verdict on canonical form tells of it.
    return [];
  }
}

const isBlock = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) > 0;
