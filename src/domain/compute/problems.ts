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
    meaning: "The node has its maximum of leases, or is not accepting work.",
  },
  "stale-lease": {
    code: "conflict",
    title: "Stale lease",
    meaning: "The lease is over, or another node has the task: stop working on it. Nothing was recorded.",
  },
  "result-differs": {
    code: "conflict",
    title: "Result differs",
    meaning: "This lease already has a different result; the first one counts.",
  },
  "task-state": {
    code: "conflict",
    title: "Not in this task status",
    meaning: "The task's status does not allow this.",
  },
  "not-due": {
    code: "conflict",
    title: "Not due",
    meaning: "The result is not accepted yet; the detail says when it is accepted automatically.",
  },
  "receipt-refused": {
    code: "invalid",
    title: "Receipt refused",
    meaning: "No live key of the node's agent signed this receipt, or its content differs. The lease stays.",
  },
});
