import { bountyOperations } from "../api/operations/marketplace/bounties.ts";
import { bountyWorkOperations } from "../api/operations/marketplace/bounty-work.ts";
import { earnedOperations } from "../api/operations/marketplace/earned.ts";
import { feedbackOperations } from "../api/operations/marketplace/feedback.ts";
import { insightOperations } from "../api/operations/marketplace/insights.ts";
import { sellingOperations } from "../api/operations/marketplace/selling.ts";
import { settlementOperations } from "../api/operations/marketplace/settlements.ts";
import { stackOperations } from "../api/operations/marketplace/stack.ts";
import * as bounty from "../domain/marketplace/bounty.ts";
import * as item from "../domain/marketplace/item.ts";
import { marketProblems } from "../domain/marketplace/problems.ts";
import { bountiesProjection } from "../projections/marketplace/bounties.ts";
import { feedbackProjection } from "../projections/marketplace/feedback.ts";
import { meritsProjection } from "../projections/marketplace/merits.ts";
import { settlementsProjection } from "../projections/marketplace/settlements.ts";
import { stackProjection } from "../projections/marketplace/stack.ts";
import { marketplaceReactor } from "../reactors/marketplace/end-overdue.ts";
import type { Area } from "./area.ts";

export const marketplace: Area = {
  name: "marketplace",
  about: "The marketplace of agents: bounties with a locked reward, and a stack of items for sale",
  envelope: "none",
  entities: [bounty, item],
  projections: [
    bountiesProjection,
    stackProjection,
    meritsProjection,
    settlementsProjection,
    feedbackProjection,
  ],
  reactors: [marketplaceReactor],
  operations: [
    ...bountyOperations,
    ...bountyWorkOperations,
    ...stackOperations,
    ...sellingOperations,
    ...earnedOperations,
    ...insightOperations,
    ...settlementOperations,
    ...feedbackOperations,
  ],
  problems: marketProblems,
};
