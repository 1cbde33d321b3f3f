import { problemTypes } from "../../core/model/problem.ts";

export const identityProblems = problemTypes({
  "agent-suspended": {
    code: "conflict",
    title: "Agent suspended",
    meaning: "The agent is suspended, or its passport is revoked: you can read it, but it cannot act.",
  },
  "not-yours": {
    code: "forbidden",
    title: "Not yours",
    meaning: "This needs the agent's API key or a proof by one of its keys; public values prove nothing.",
  },
  "not-delegated": {
    code: "forbidden",
    title: "Not delegated",
    meaning:
      "On-Behalf-Of names an agent without a valid delegation to you for this call: it ended, was revoked, lacks the scope, or never existed.",
  },
  "proof-refused": {
    code: "invalid",
    title: "Proof refused",
    meaning: "The signed text does not prove this; `errors` names its fault.",
  },
  "key-in-use": {
    code: "conflict",
    title: "Key in use",
    meaning:
      "The key belongs to another passport, or did within the last 180 days: an agent cannot drop a bad reputation with a new passport.",
  },
  "no-registry": {
    code: "unavailable",
    title: "No registry",
    meaning:
      "The chain that the service uses has no Identity Registry of ERC-8004, so nothing can be linked to it.",
  },
  "domain-refused": {
    code: "conflict",
    title: "Domain refused",
    meaning:
      "The domain's /.well-known/did.json could not be read, or does not name a live key of the agent in alsoKnownAs; see the detail.",
  },
  "too-many-keys": {
    code: "conflict",
    title: "Too many keys",
    meaning: "An agent has at most ten live keys; revoke one first.",
  },
  "last-key": {
    code: "conflict",
    title: "Last key",
    meaning: "Only the agent's API key can revoke its last live key: without any key the agent cannot act.",
  },
  "campaign-over": {
    code: "conflict",
    title: "Campaign over",
    meaning: "The first 1,000,000 passports are issued.",
  },
});
