/** Ends a link when the ERC-8004 registry transfers its agent, and restores it when a reorg reverts the transfer. */

import { compareChain, movedBlocks, REORG_MARGIN } from "../../chain/history.ts";
import type { App } from "../../core/app.ts";
import { type Outcome, reactor, unlessRefused } from "../../core/background/reactor.ts";
import { forEach } from "../../core/coordination/concurrency.ts";
import { type Block, networkOf } from "../../core/model/chain.ts";
import { lowerCase } from "../../core/model/fields.ts";
import * as agents from "../../domain/identity/agent.ts";
import { lose, restore } from "../../domain/identity/links.ts";
import { holderCalls, holdersIn, REGISTRY } from "../../domain/identity/registry.ts";
import { type LinkRow, linksProjection, watchedLinks } from "../../projections/identity/links.ts";

/** The newest block under which all links were checked. */
type Memory = { seen?: string };

type FollowFailure = "away" | "behind" | "foreign" | "no_registry";

const meta = { actor: "reactor:agent-links", operation: "agent-links.follow" };

export const linksReactor = reactor({
  name: "agent-links",
  every_ms: 15_000,
  memory: (): Memory => ({}),
  take: ({ app, memory }) => followLinks(app, memory),
  failures: {
    away: "the chain is unavailable: links of agents are not followed meanwhile",
    behind: "links of agents are not followed: the chain lags behind its earlier head",
    foreign: "links of agents are not followed: this is another chain than the one they were made for",
    no_registry: "links of agents are not followed: the registry is no longer on this chain",
    failed: "links of agents cannot be followed; trying again",
  },
  resumed: "links of agents are followed again",
});

/** One tick; without a new block it only reads the chain's heads. */
async function followLinks(app: App, memory: Memory): Promise<Outcome<FollowFailure>> {
  const network = networkOf(app.chain);
  const { latest, finalized } = await app.chain.heads();
  // A link that is not listed yet was confirmed under these heads or later ones.
  if (memory.seen === latest.hash) return "unmoved";
  if (!(await app.caughtUp(linksProjection))) return "done";
  const ended_after = Number(finalized.number) - REORG_MARGIN;
  let isCompared = false;
  for await (const page of watchedLinks(app.pool, { network, ended_after })) {
    if (!isCompared) {
      const compared = await compareChain(app);
      if (compared.status !== "same") return compared;
      if (!(await app.chain.hasCode([lowerCase(REGISTRY)]))[0]) return "no_registry";
      isCompared = true;
    }
    await followPage(app, page, { network, latest, ended_after });
  }
  memory.seen = latest.hash;
  return "done";
}

/** `ended_after`: the last block that no reorg can replace. */
type RegistryView = { network: string; latest: Block; ended_after: number };

/** Records each link whose status differs from the chain's. */
async function followPage(
  app: App,
  page: readonly LinkRow[],
  { network, latest, ended_after }: RegistryView,
) {
  const answers = await app.chain.read(
    page.flatMap(({ ref }) => holderCalls(ref)),
    { mined: true },
  );
  const changed = page.filter(
    ({ kid, live }, at) => holdersIn(answers.slice(2 * at, 2 * at + 2)).includes(lowerCase(kid)) !== live,
  );
  const young = changed.filter(({ live, block_number }) => live && block_number > ended_after);
  const gone = new Set((await movedBlocks(app.chain, young)).map(({ block_hash }) => block_hash));
  const at = app.clock.now().toISOString();
  const block = { block_number: Number(latest.number), block_hash: latest.hash };
  const seen = { kind: "erc8004" as const, network, by: null, challenge_sha256: null, ...block };
  await forEach(changed, ({ agent, ref, kid, live, block_hash }) => {
    const reason = gone.has(block_hash) ? ("reorg" as const) : ("transfer" as const);
    const decision = live
      ? lose({ ...seen, ref, reason, unlinked_at: at })
      : restore({ ...seen, ref, kid: lowerCase(kid), cause: "restored", linked_at: at });
    return unlessRefused(app.decide(agents, agents.targetOf(agent), decision, { meta }));
  });
}
