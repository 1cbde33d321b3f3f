/** What each command does, in the words of `--help`, which loads no command to say it. */
export const about = {
  serve: "run the service (what `npm start` does)",
  demo: "buy one answer with a demo wallet, step by step, and check what was told about it; or goods, by --story shop",
  keys: "issue, list and revoke API keys; each change is an event in the log",
  agents: "suspend an agent, let it act again, revoke its passport, erase its name",
  trust: "give agents trust to begin with, or take it back; each change is a public event in the log",
  subjects: "erase a person or thing that personal data is sealed for; change the vault's master key",
  payments: "compare the payments of the log with the chain",
  shop: "run the shop: products, prices, stock and orders; each change is an event in the log",
  disputes: "say who is right in a dispute about a task of the compute market",
  market: "take down what somebody wrote in the marketplace; every hash of it stays in the log",
  ideas: "read, accept or decline what others propose to improve; nothing of it is ever run",
  anchor: "anchor the log on the chain",
  rng: "give up chains of seeds whose secret is lost, which voids what was drawn from the seed in use",
  work: "run a worker of the compute market: it does tasks of others and is paid",
  witness: "run a witness: it cosigns a log's checkpoints as long as each continues the one before",
  import: "import files as the next vintage of their dataset: all of them or nothing",
  sandbox: "make the synthetic data that answers where no real data covers the question",
  fetch: "fetch data from its source",
  export:
    "write the log, or one stream of it, with its checkpoints and anchors, as NDJSON that anyone can verify",
  backup:
    "write the log, sealed segments and packs of what follows, into a folder from which it can be restored",
  restore:
    "fill an empty database from a folder that backup wrote or from the copy in KurrentDB, each hash checked",
  kurrent: "compare the log's copy in KurrentDB with the log; have KurrentDB link events into their streams",
  verify:
    "check an export, or segments of the log: every hash and link, the tree, its signatures and its anchors on the chain",
  rerun:
    "run an execution of a skill again from what was recorded, and hold the two results against each other",
  report: "ask every figure of a report again, and name each that is not what it says",
  docs: "print docs/<page>.md",
};
