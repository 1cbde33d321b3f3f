/** Runs the verifier in a worker, so that a large pack does not block the page. */
import { verifyProof } from "./proof.ts";
import { type Options, verifyPack } from "./verifier.js";
import type { Proof } from "./wire.ts";

/** A pack, or an answer of /log/proof, to check. */
export type Task = ({ pack: Blob } | { proof: Proof }) & { options: Options };

/** A pack's report has its head and number of events. */
export type Report = Awaited<ReturnType<typeof verifyProof>> | Awaited<ReturnType<typeof verifyPack>>;

export type WorkerMessage = { progress: number; events: number } | { report: Report } | { failed: string };

const tell = (news: WorkerMessage) => self.postMessage(news);

self.addEventListener("message", ({ data }: MessageEvent<Task>) => {
  check(data).then(
    (report) => tell({ report }),
    (error: unknown) => tell({ failed: error instanceof Error ? error.message : String(error) }),
  );
});

async function check(task: Task): Promise<Report> {
  if ("proof" in task) return verifyProof(task.proof, task.options);
  const { pack, options } = task;
  let read = 0;
  let events = 0;
  let reportedAt = 0;
  const counted = (count: number) => {
    events = count;
  };
  const counting = new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
    transform(bytes, controller) {
      read += bytes.length;
      const now = performance.now();
      if (now - reportedAt > 100) {
        reportedAt = now;
        tell({ progress: read / pack.size, events });
      }
      controller.enqueue(bytes);
    },
  });
  const bytes = pack.stream().pipeThrough(counting);
  const text = (await isGzip(pack)) ? bytes.pipeThrough(new DecompressionStream("gzip")) : bytes;
  return verifyPack(chunks(text), { ...options, onEvents: counted });
}

/** By its first two bytes (RFC 1952), independent of the file's name. */
async function isGzip(pack: Blob): Promise<boolean> {
  const [first, second] = new Uint8Array(await pack.slice(0, 2).arrayBuffer());
  return first === 0x1f && second === 0x8b;
}

/** Not every browser can iterate streams. */
async function* chunks(stream: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  const reader = stream.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    yield value;
  }
}
