/**
 * A second process that kills itself, like kill -9, at each bounty's step in STEPS: just before or after (SIDE) it
 * appends that event type. Until then those calls block. It also runs the reactor that ends overdue bounties, with a
 * clock LATER seconds ahead.
 */
import { withParts } from "../../src/core/app.ts";
import { streamOf } from "../../src/domain/marketplace/bounty.ts";
import { marketplaceReactor } from "../../src/reactors/marketplace/end-overdue.ts";
import { PROXIED } from "../identity/agents.ts";
import { aroundCommits } from "../support/around-commits.ts";
import { startService } from "../support/service.ts";
import { turn } from "../support/turns.ts";

const { DATABASE, DATA, SIDE, STEPS, LATER } = process.env as Record<string, string>;
const steps = Object.entries(JSON.parse(STEPS!) as Record<string, string>);
const waited = new Map(steps.map(([bounty_id, type]) => [streamOf(bounty_id), type]));

const { app, url } = await startService({
  beside: { database_url: DATABASE!, data_dir: DATA! },
  chain: "embedded",
  env: PROXIED,
});

async function stop(stream: string | undefined): Promise<void> {
  if (stream === undefined) return;
  waited.delete(stream);
  if (waited.size === 0) process.kill(process.pid, "SIGKILL");
  await new Promise(() => undefined);
}

aroundCommits(app.store, async (commit, send) => {
  const stream = commit.appends.find(({ stream_id, events }) =>
    events.some(({ type }) => type === waited.get(stream_id)),
  )?.stream_id;
  if (SIDE === "before") await stop(stream);
  const result = await send();
  if (SIDE === "after") await stop(stream);
  return result;
});

process.stdout.write(`${url}\n`);
const clock = { now: () => new Date(app.clock.now().getTime() + Number(LATER) * 1_000) };
for (;;) await turn(withParts(app, { clock }), marketplaceReactor, { patient: true });
