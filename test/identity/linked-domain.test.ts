import { expect, test } from "vitest";
import { events } from "../../src/domain/identity/agent.ts";
import { answerOf, didOfDomain, documentUrl, domainName } from "../../src/domain/identity/linked-domain.ts";
import { linkNameField, parseLinkName } from "../../src/domain/identity/links.ts";

const DOMAIN = "agent.example.org";
const answer = (said: unknown, status = 200) => ({ status, body: Buffer.from(JSON.stringify(said)) });
const refusal = (said: unknown, status?: number) => answerOf(DOMAIN, answer(said, status));

test("a domain has a document URL and a DID", () => {
  expect(documentUrl(DOMAIN)).toBe("https://agent.example.org/.well-known/did.json");
  expect(didOfDomain(DOMAIN)).toBe("did:web:agent.example.org");
  expect(didOfDomain("localhost:8000")).toBe("did:web:localhost%3A8000");
});

test.each(["a.example.org", "xn--bcher-kva.example", "localhost:8000", `${"a".repeat(63)}.org`])(
  "%s is a domain",
  (name) => {
    expect(domainName.safeParse(name).success).toBe(true);
    expect(linkNameField.safeParse(`domain-${name}`).success).toBe(true);
    expect(parseLinkName(`domain-${name}`, "eip155:8453")).toEqual({
      kind: "domain",
      network: null,
      ref: name,
    });
  },
);

test.each([
  "",
  "Agent.example.org",
  "bücher.example",
  "https://a.example.org",
  "a.example.org/",
  "a.example.org/path",
  "a.example.org#a",
  "me@a.example.org",
  "a..example.org",
  ".example.org",
  "a.example.org.",
  "-a.example.org",
  "127.0.0.1",
  "0x7f.1",
  "[::1]",
  "a.example.org:",
  "a.example.org:080",
  "a.example.org:123456",
  "a.example.org%2e",
  "a example.org",
  `${"a".repeat(64)}.org`,
  `${"a.".repeat(127)}org`,
])("%s is not a domain", (name) => {
  expect(domainName.safeParse(name).success).toBe(false);
  expect(linkNameField.safeParse(`domain-${name}`).success).toBe(false);
});

test("a document lists its other names, addresses in any case", () => {
  const names = ["did:pkh:eip155:8453:0xABCDEF", "did:key:z6MkAbC"];
  expect(refusal({ id: `did:web:${DOMAIN}`, alsoKnownAs: names, more: 1 })).toEqual({
    names: new Set(["did:pkh:eip155:8453:0xabcdef", "did:key:z6MkAbC"]),
  });
  expect(refusal({ id: `did:web:${DOMAIN}` })).toEqual({ names: new Set() });
});

test("a missing document lists no names", () => {
  for (const status of [404, 410]) expect(refusal({}, status)).toEqual({ names: new Set() });
});

test.each([
  ["another domain's", { id: "did:web:other.example.org", alsoKnownAs: [] }],
  ["one without an id", { alsoKnownAs: [] }],
  ["one whose names are not a list", { id: `did:web:${DOMAIN}`, alsoKnownAs: "did:key:z6Mk" }],
  ["one whose names are not texts", { id: `did:web:${DOMAIN}`, alsoKnownAs: [{}] }],
  ["a list", []],
  ["null", null],
])("%s gives no answer", (_, said) => expect(refusal(said)).toHaveProperty("silent"));

test("bytes other than UTF-8 JSON, and other statuses, give no answer", () => {
  for (const body of [
    Buffer.from("<html>"),
    Buffer.from([0x22, 0xff, 0x22]),
    Buffer.from("[".repeat(60_000)),
  ])
    expect(answerOf(DOMAIN, { status: 200, body })).toHaveProperty("silent");
  const said = { id: `did:web:${DOMAIN}`, alsoKnownAs: [] };
  for (const status of [204, 301, 302, 307, 401, 403, 429, 500, 503])
    expect(refusal(said, status)).toHaveProperty("silent");
});

test("links from before domain links are read unchanged", () => {
  const said = {
    kind: "erc8004",
    network: "eip155:8453",
    ref: "7",
    kid: `0x${"1".repeat(40)}`,
    cause: "asked",
    by: null,
    challenge_sha256: null,
    block_number: 3,
    block_hash: `0x${"2".repeat(64)}`,
    linked_at: "2026-11-22T21:00:00.000Z",
  };
  const { cause: _, kid: __, linked_at: ___, ...link } = said;
  const gone = { ...link, reason: "reorg", unlinked_at: said.linked_at };
  const { AgentLinked, AgentUnlinked } = events;
  for (const [declared, before] of [
    [AgentLinked, said],
    [AgentUnlinked, gone],
  ] as const) {
    const stored = declared[1].parse(before);
    expect(declared[2].parse(declared.upcast[1](stored))).toEqual(before);
  }
});
