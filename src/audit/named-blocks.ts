/** Blocks that events name: such an event was recorded after its block. */
import { eventsWith } from "./event-lines.ts";
import type { Fault } from "./fault.ts";

/** Block times in Unix seconds; a future block has the time of the newest. */
export type BlockTimes = (numbers: readonly number[]) => Promise<ReadonlyMap<number, number>>;

/** Tolerance between the clocks of a service and a chain. */
export const CLOCK_S = 120;

const MEMBERS = ["block_number", "seen_block", "from_block"] as const;

/** Further blocks are ignored; docs/event-log.md, section 7, states the limit. */
const MOST_BLOCKS = 1_000_000;

type DatedBlock = { block: number; recorded_at_us: number; place: number };

/** An ordered range of blocks whose times are not all checked. */
type BlockRange = readonly DatedBlock[];

export class NamedBlocks {
  /** By block, the earliest event that names it. */
  readonly #earliest = new Map<number, DatedBlock>();
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
   * The first event, by its block, dated before a block that it names. Block times ascend, so one request is enough
   * for a range whose events all come after its last block.
   */
  async early(timesOf: BlockTimes): Promise<Fault | undefined> {
    const all = [...this.#earliest.values()].sort((a, b) => a.block - b.block);
    let runs: BlockRange[] = all.length > 0 ? [all] : [];
    let found: { dated: DatedBlock; made: number } | undefined;
    while (runs.length > 0) {
      const times = await timesOf(runs.map((run) => run.at(-1)!.block));
      const next: BlockRange[] = [];
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

const isBefore = ({ recorded_at_us }: DatedBlock, made: number): boolean =>
  recorded_at_us < (made - CLOCK_S) * 1_000_000;

/** Unix seconds; a signed time may be outside the calendar. */
export const timeOf = (seconds: number): string => {
  const date = new Date(seconds * 1_000);
  return Number.isNaN(date.getTime()) ? `${seconds} s` : date.toISOString();
};

/** Only the payload's own members count, because deeper ones may be a caller's. Another network has other blocks. */
function blocksIn(payload: string, chain_id: number): number[] {
  try {
    const members = JSON.parse(payload) as Record<string, unknown>;
    const { network } = members;
    if (typeof network === "string" && network !== `eip155:${chain_id}`) return [];
    return MEMBERS.map((name) => members[name]).filter(isBlock);
  } catch {
    // The canonical-form check reports it.
    return [];
  }
}

const isBlock = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) > 0;
