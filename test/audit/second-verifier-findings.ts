/** Where the second verifier does not judge as docs/event-log.md has it, by the cases of the tamper matrix that show it. */
export const FINDINGS: { finding: string; cases: RegExp }[] = [
  {
    finding:
      "a consistency line joins larger tree heads whatever its smaller tree: a rewritten history passes for anchored",
    cases:
      /^whole: (three rewritten events, and|the last event rewritten, the)|^stream: a (rewritten stream|signed empty tree)|^whole: held: a later checkpoint, joined by/,
  },
  {
    finding:
      "a consistency line that does not hold joins nevertheless, so the tree head it left loose is not named",
    cases:
      /^part: a frontier: (another hash|its hashes)|^part: a consistency line: (another (hash|second)|a hash|no hashes)|^stream: a consistency line: (another (hash|second)|a hash|no hashes)/,
  },
  {
    finding: "in a stream tree heads are joined to the first that is read, not to the largest",
    cases:
      /^stream: a consistency line(: another first size|: from none|: to itself| stripped| among)|^stream: held: a later/,
  },
  {
    finding: "a held checkpoint that is not joined is a fault of the tree too",
    cases:
      /^(whole|part): held: (a later checkpoint, (the end cut|an old one)|a later checkpoint$|an earlier checkpoint that nothing)/,
  },
  {
    finding:
      "in a stream inclusion is held against a forked checkpoint of the auditor's, not against the pack's own",
    cases: /^stream: held: a fork/,
  },
  {
    finding: "a frontier before all of a log, where none belongs, is taken",
    cases: /^whole: a frontier of nothing/,
  },
  {
    finding: "a root in a note may have other than 32 bytes",
    cases: /^(whole|part): a note: a root of 3[13] bytes/,
  },
  {
    finding:
      "RLP is read loosely: what stands behind a transaction or header, and a length spelt longer, pass",
    cases: /^\w+: an anchor: (a byte behind the|a header whose length)/,
  },
];
