/** Where the second verifier does not judge as docs/event-log.md has it, by the cases of the tamper matrix that show it. */
export const FINDINGS: { finding: string; cases: RegExp }[] = [
  {
    finding:
      "a consistency line from a smaller tree joins one beyond the end: a rewritten history passes for anchored",
    cases:
      /^whole: (three rewritten events, and|the last event rewritten, the)|^whole: held: a later checkpoint, joined by a smaller/,
  },
  {
    finding: "a frontier before all of a log, where none belongs, is a fault of format, not of the tree",
    cases: /^whole: a frontier of nothing/,
  },
  {
    finding: "a root in a note may have 31 bytes",
    cases: /^(whole|part): a note: a root of 31 bytes/,
  },
  {
    finding:
      "RLP is read loosely: what stands behind a transaction or header, and a length spelt longer, pass",
    cases: /^\w+: an anchor: (a byte behind the|a header whose length)/,
  },
];
