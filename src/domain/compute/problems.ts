/** Why the compute market refuses. */
import { problemTypes } from "../../core/model/problem.ts";

export const computeProblems = problemTypes({
  "no-node": {
    code: "conflict",
    title: "No node",
    meaning: "This agent runs no node, or has proven no key yet: register it with POST /soul/node/register.",
  },
  "node-busy": {
    code: "conflict",
    title: "Node busy",
    meaning: "The node has as many leases as it may, or takes no work at the moment.",
  },
  "stale-lease": {
    code: "conflict",
    title: "Stale lease",
    meaning:
      "The lease is over, or another holds the task by now: stop working on it. Nothing of yours was recorded.",
  },
  "result-differs": {
    code: "conflict",
    title: "Result differs",
    meaning: "Another result of this lease was recorded; the first one stands.",
  },
  "task-state": {
    code: "conflict",
    title: "Task not in the state for it",
    meaning: "Where the task stands does not allow this; its status tells where it stands.",
  },
  "not-due": {
    code: "conflict",
    title: "Not due",
    meaning: "What would accept the result has not happened yet; the sentence says when it does by itself.",
  },
  "receipt-refused": {
    code: "invalid",
    title: "Receipt refused",
    meaning:
      "The receipt is not signed by a live key of the node's agent, or says something else. The lease stays.",
  },
});
