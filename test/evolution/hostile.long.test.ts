/** Drafts of 100 KB made to exhaust the checks: repeated reading would take minutes, and exceeds the limit. */
import { describe, expect, test } from "vitest";
import { createParser } from "../../src/adapters/parser.ts";
import { checksOf } from "../../src/domain/evolution/checks.ts";
import { MOST_DRAFT_BYTES } from "../../src/domain/evolution/idea.ts";

/** Repeats a unit as often as it fits into a draft, between its beginning and end. */
const filled = (unit: string, begin = "", end = "") => {
  const room = MOST_DRAFT_BYTES - Buffer.byteLength(begin + end);
  return begin + unit.repeat(Math.floor(room / Buffer.byteLength(unit))) + end;
};

const secrets = {
  "beginnings of tokens": filled("-eyJ"),
  "beginnings of tokens after a dot": filled(".eyJ"),
  "a token that never ends": filled("eyJ", "eyJaaaaaaaaaa.eyJ"),
  "dots and beginnings of tokens": filled(".eyJaaaaaaaaaa"),
  "beginnings of keys": filled("-----BEGIN "),
  "a key of no kind": filled("PRIVATE KEY ", "-----BEGIN "),
  "beginnings of keys of ours": filled("sk_live_sk_test_whsec_ghp_xoxb-AKIA"),
  "beginnings of named keys": filled("secret_key: "),
  "a named key that never comes": filled("0", "private_key=0x"),
  "one long word": filled("aB3"),
  "many long words": filled(`${"aB3".repeat(10)} `),
  "empty lines": filled("\n"),
  "white space": filled(" "),
};

const markdown = {
  "beginnings of links": filled("]("),
  "a link that never ends": filled("a", "]("),
  "links of dots": filled("./", "](", "!)"),
  "many odd links": filled("](!)"),
  "beginnings of links far apart": filled(`](${"a".repeat(1_999)}`),
};

const typescript = {
  "white space after import": filled(" ", "import", "x"),
  "white space after each import": filled(`import${" ".repeat(300)}(`),
  "brackets after import": filled("import("),
  "imports without an end": filled("import'"),
  "words before a quote": filled("import from ", "", '"x"'),
  "from, and quotes": filled('from"'),
  "from, and another quote": filled("from'", 'from"'),
  "comments that never end": filled("from/*"),
  "comments that end at last": filled("from/*", "", "*/"),
  "comments in a row": filled("/**/", "from"),
  "imports in comments in a row": filled("/*import from*/", "import from"),
  "lines of comments": filled("import//"),
  "lines of comments in a row": filled("import from//\n"),
  "an import of many names": filled("a,", "import{", '} from "x"'),
  "names that are strings": filled('"\\', "import{", '\n} from "x"'),
  "words between the braces": filled("type as ", "import{", '} from "x"'),
  "many imports": filled('import"a"'),
  "an import of a long path": filled("../", 'import"', '"'),
  "a long path of nothing": filled("./", 'import".', '"'),
  "escapes within a path": filled("\\", 'import"', '"'),
  "template strings": filled("import(`"),
  "holes of template strings": filled("${", "import(`", "`)"),
  "other scripts": filled("ﬁ", "import "),
};

const json = { "brackets that never close": filled("["), "a long string": filled("\\u0061", '"', '"') };

/** Its own parser has a test of its own. */
const noTypescript = { ...createParser(), typescript: async () => undefined };

const forms = { md: { ...secrets, ...markdown }, ts: { ...secrets, ...typescript }, json };

describe.each(Object.entries(forms))("%s", (kind, drafts) => {
  test.each(Object.entries(drafts))("%s", { timeout: 60_000 }, async (_, draft) => {
    expect(Buffer.byteLength(draft)).toBeGreaterThan(MOST_DRAFT_BYTES - 4_000);
    const target_file = kind === "ts" ? "src/domain/x.ts" : `docs/x.${kind}`;
    const bytes = Buffer.from(draft);
    // Several runs distinguish seconds from milliseconds on any machine.
    for (let turn = 0; turn < 5; turn++)
      expect(await checksOf({ target_file, bytes }, [], noTypescript)).toHaveLength(8);
  });
});

test("a draft is compared with twenty earlier ones of as many lines as fit", {
  timeout: 60_000,
}, async () => {
  const lines = Array.from({ length: 18_000 }, (_, at) => at.toString(36).padStart(4, "0"));
  const text = lines.join("\n");
  const earlier = Array.from({ length: 20 }, (_, idea_id) => ({
    idea_id,
    text: lines.toReversed().join("\n"),
  }));
  const checks = await checksOf({ target_file: "x.md", bytes: Buffer.from(text) }, earlier, noTypescript);
  expect(checks.find(({ name }) => name === "likeness")).toMatchObject({ detail: "100 % like idea 0" });
});
