/** Memory of services over a run: from the kernel, and V8's heap and buffers within it. */
import { median, type ServiceProcess } from "./service-process.ts";

/**
 * Megabytes at a Date.now(). `taken`: V8's heap from the system; `external`: buffers and V8's other external
 * memory. The rest of `rss` is programs, threads and the allocator's reserve.
 */
type Sample = { at: number; rss: number; heap: number; taken: number; external: number };

const EVERY_MS = 10_000;
/** Parts of a run that are compared; the lowest heap of each approximates the heap after a collection. */
const PARTS = 8;

export type WatchedMemory = {
  /** Resets the record. */
  reset(): void;
  /** Prints a table per process. */
  tell(): void;
  stop(): void;
};

/** Samples each of these processes by its /metrics. */
export function watchMemory(services: readonly ServiceProcess[]): WatchedMemory {
  const samples = services.map((): Sample[] => []);
  const timer = setInterval(() => {
    for (const [n, service] of services.entries())
      sample(service.url).then(
        (one) => samples[n]!.push(one),
        () => undefined,
      );
  }, EVERY_MS);
  return {
    reset: () => {
      for (const of of samples) of.length = 0;
    },
    tell: () => {
      for (const [n, of] of samples.entries()) tell(n + 1, of);
    },
    stop: () => clearInterval(timer),
  };
}

async function sample(url: string): Promise<Sample> {
  const response = await fetch(`${url}/metrics`, { signal: AbortSignal.timeout(EVERY_MS) });
  const text = await response.text();
  const mb = (name: string) => Number(new RegExp(`^${name} (\\S+)`, "m").exec(text)?.[1]) / (1024 * 1024);
  return {
    at: Date.now(),
    rss: mb("process_resident_memory_bytes"),
    heap: mb("nodejs_heap_size_used_bytes"),
    taken: mb("nodejs_heap_size_total_bytes"),
    external: mb("nodejs_external_memory_bytes"),
  };
}

function tell(nth: number, samples: readonly Sample[]): void {
  if (samples.length < PARTS) return;
  const parts = Array.from({ length: PARTS }, (_, part) =>
    samples.slice((samples.length * part) / PARTS, (samples.length * (part + 1)) / PARTS),
  );
  console.log(`memory of process ${nth} in MB, over each eighth of the run`);
  console.table(
    parts.map((part) => ({
      minute: ((part.at(-1)!.at - samples[0]!.at) / 60_000).toFixed(1),
      "resident, median": Math.round(median(part.map(({ rss }) => rss))),
      "heap used, lowest": Math.round(Math.min(...part.map(({ heap }) => heap))),
      "heap taken, median": Math.round(median(part.map(({ taken }) => taken))),
      "external, median": Math.round(median(part.map(({ external }) => external))),
    })),
  );
  const half = samples.slice(samples.length >> 1);
  const slopes = (["rss", "heap", "taken", "external"] as const).map(
    (what) => `${what} ${slope(half.map((one) => ({ at: one.at, mb: one[what] }))).toFixed(2)}`,
  );
  console.log(`over the second half, MB a minute: ${slopes.join(", ")}`);
}

/** Least squares, in MB per minute. */
function slope(points: readonly { at: number; mb: number }[]): number {
  const mean = (of: number[]) => of.reduce((sum, one) => sum + one, 0) / of.length;
  const [middle, level] = [mean(points.map(({ at }) => at)), mean(points.map(({ mb }) => mb))];
  const up = points.reduce((sum, { at, mb }) => sum + (at - middle) * (mb - level), 0);
  const across = points.reduce((sum, { at }) => sum + (at - middle) ** 2, 0);
  return across === 0 ? 0 : (60_000 * up) / across;
}
