import { marketOperations } from "../api/operations/compute/market.ts";
import { nodeOperations } from "../api/operations/compute/nodes.ts";
import { settleOperations } from "../api/operations/compute/settle.ts";
import { taskOperations } from "../api/operations/compute/tasks.ts";
import { withdrawOperations } from "../api/operations/compute/withdraw.ts";
import { workOperations } from "../api/operations/compute/work.ts";
import * as node from "../domain/compute/node.ts";
import { computeProblems } from "../domain/compute/problems.ts";
import * as task from "../domain/compute/task.ts";
import { nodesProjection } from "../projections/compute/nodes.ts";
import { recordsProjection } from "../projections/compute/records.ts";
import { tasksProjection } from "../projections/compute/tasks.ts";
import { auditReactor } from "../reactors/compute/audit.ts";
import { computeReactor } from "../reactors/compute/due.ts";
import { quorumReactor } from "../reactors/compute/quorum.ts";
import type { Area } from "./area.ts";

export const compute: Area = {
  name: "compute",
  about: "The compute market: tasks paid by their requesters, done by nodes, checked before they are settled",
  envelope: "none",
  entities: [node, task],
  projections: [nodesProjection, tasksProjection, recordsProjection],
  reactors: [computeReactor, auditReactor, quorumReactor],
  operations: [
    ...nodeOperations,
    ...marketOperations,
    ...taskOperations,
    ...workOperations,
    ...settleOperations,
    ...withdrawOperations,
  ],
  problems: computeProblems,
};
