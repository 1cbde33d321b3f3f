/** Why an agent, or whoever says to be one, is refused. */
import { problemTypes } from "../../core/model/problem.ts";

export const identityProblems = problemTypes({
  "agent-suspended": {
    code: "conflict",
    title: "Agent suspended",
    meaning: "The agent is suspended, or its passport is revoked: it can be read, and does nothing.",
  },
  "not-yours": {
    code: "forbidden",
    title: "Not yours",
    meaning:
      "Only who holds the agent's API key, or proves one of its keys, may do this; its public values prove nothing.",
  },
  "not-delegated": {
    code: "forbidden",
    title: "Not delegated",
    meaning:
      "On-Behalf-Of names an agent that lets you do no such thing now: its delegation to you is over, taken back, of other scopes, or was never given.",
  },
  "proof-refused": {
    code: "invalid",
    title: "Proof refused",
    meaning: "The signed text is not good for what is asked; `errors` names what is wrong with it.",
  },
  "key-in-use": {
    code: "conflict",
    title: "Key in use",
    meaning:
      "The key is another passport's, or was within the last 180 days: whoever leaves a bad name behind does not take its key along.",
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
      "The domain's /.well-known/did.json could not be read, or does not name a live key of the agent in alsoKnownAs; the detail says which.",
  },
  "too-many-keys": {
    code: "conflict",
    title: "Too many keys",
    meaning: "An agent has ten live keys at most; revoke one first.",
  },
  "last-key": {
    code: "conflict",
    title: "Last key",
    meaning:
      "The last live key can be revoked only with the agent's API key: else nobody could act for it any more.",
  },
  "campaign-over": {
    code: "conflict",
    title: "Campaign over",
    meaning: "The first 1,000,000 passports are issued.",
  },
});
