/** The demo's ear: it follows a wallet's notices as server-sent events, instead of polling. */
import type { LocalAccount } from "viem/accounts";
import { z } from "zod";
import { refuse } from "../core/model/refusal.ts";
import { ownersProof, parsed } from "./demo-buyer.ts";

const PATH = "/v1/agent/notices";
const TOLD_MS = 120_000;

const notice = z.looseObject({
  type: z.string(),
  data: z.looseObject({ subject: z.looseObject({ kind: z.string(), id: z.string() }) }),
});
type Notice = z.infer<typeof notice>;

export type NoticeListener = {
  /** Waits for a notice of this type about a subject; a notice of a type in `ends` ends the wait with an error. */
  until(type: string, id: string, ends?: readonly string[]): Promise<Notice>;
  /** Notices so far. */
  readonly count: number;
  close(): void;
};

/** Listens to notices from now on. */
export async function listen(url: string, wallet: LocalAccount): Promise<NoticeListener> {
  const leave = new AbortController();
  const answer = await fetch(url + PATH, {
    headers: {
      Accept: "text/event-stream",
      "SIGN-IN-WITH-X": await ownersProof(wallet, url, PATH, "GET"),
    },
    signal: leave.signal,
  });
  if (!answer.ok || !answer.body)
    return refuse(
      "unprocessable",
      `${url}${PATH} answered ${answer.status}: ${(await answer.text()).slice(0, 300)}`,
    );
  const heard: Notice[] = [];
  let wake = () => {};
  const reading = readEvents(answer.body, (data) => {
    const read = notice.safeParse(parsed(data));
    if (read.success) heard.push(read.data);
    wake();
  }).catch(() => wake());
  let isOver = false;
  void reading.finally(() => {
    isOver = true;
    wake();
  });
  return {
    get count() {
      return heard.length;
    },
    async until(type, id, ends = []) {
      const deadline = Date.now() + TOLD_MS;
      for (;;) {
        const ofSubject = heard.filter(({ data }) => data.subject.id === id);
        const found = ofSubject.find((one) => one.type === type);
        if (found) return found;
        const ended = ofSubject.find((one) => ends.includes(one.type));
        if (ended) return refuse("unprocessable", `${id}: ${ended.type} came in place of ${type}`);
        if (isOver || Date.now() >= deadline)
          return refuse("unavailable", `${url} sent no ${type} notice about ${id}`);
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, deadline - Date.now());
          wake = () => {
            clearTimeout(timer);
            resolve();
          };
        });
      }
    },
    close: () => leave.abort(),
  };
}

async function readEvents(body: ReadableStream<Uint8Array>, hear: (data: string) => void): Promise<void> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of body) {
    text += decoder.decode(chunk, { stream: true });
    const blocks = text.split("\n\n");
    text = blocks.pop()!;
    for (const block of blocks)
      for (const line of block.split("\n")) if (line.startsWith("data: ")) hear(line.slice("data: ".length));
  }
}
