/** Questions in fields, as programs write them: JSON, `key=value` and `key: value`. They are read as a sentence. */

type Kind = "words" | "product" | "seller" | "buyer" | "country" | "partner" | "flow" | "years" | "none";

const kinds: Readonly<Record<string, Kind>> = Object.fromEntries(
  Object.entries({
    words:
      "task action goal intent query question ask request instruction command operation method objective want need topic metric",
    product:
      "product commodity goods good item hs hs_code hs2 hs4 hs6 cn cn_code code material article products",
    seller: "origin from exporter seller source origin_country from_country exporting_country seller_country",
    buyer:
      "destination to importer buyer destination_country to_country importing_country buyer_country target_market",
    country: "country reporter reporting_country region where market input home",
    partner: "partner partner_country counterparty counterpart other with",
    flow: "flow direction trade_flow",
    years: "year years period timeframe range date dates time",
    none: "output format json language lang limit top model version id agent name",
  }).flatMap(([kind, keys]) => keys.split(" ").map((key) => [key, kind as Kind])),
);

type Pair = { kind: Kind; value: string };

const LEAST_PAIRS = 2;

/** The text as a sentence, if it is in fields; another text as it is. */
export function plainText(text: string): string {
  const { before, pairs } = pairsIn(text);
  return pairs.length < LEAST_PAIRS ? text : sentenceOf(before, pairs);
}

const kindOf = (key: string): Kind | undefined => {
  const name = key.toLowerCase().replaceAll("-", "_");
  return Object.hasOwn(kinds, name) ? kinds[name] : undefined;
};

function pairsIn(text: string): { before: string; pairs: Pair[] } {
  const trimmed = text.trim();
  const none = { before: "", pairs: [] };
  if (trimmed.startsWith("{")) {
    const value = parsed(trimmed);
    return value ? { before: "", pairs: Object.entries(value).map(pairOf) } : none;
  }
  const keys = [...text.matchAll(/(?:^|[\s;,.])([A-Za-z][\w-]{0,30})\s*[:=]\s*/g)].filter(([, key]) =>
    kindOf(key!),
  );
  const pairs = keys.map((match, at): Pair => {
    const end = keys[at + 1]?.index ?? text.length;
    const value = text.slice(match.index + match[0].length, end).replace(/[\s;,.]+$/, "");
    return { kind: kindOf(match[1]!)!, value: plain(value) };
  });
  return { before: text.slice(0, keys[0]?.index ?? 0), pairs };
}

function parsed(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

/** The words of a value; of a list, joined by "and". */
const plain = (value: unknown): string =>
  Array.isArray(value)
    ? value.map(plain).join(" and ")
    : typeof value === "object" && value !== null
      ? Object.values(value).map(plain).join(" ")
      : String(value).replaceAll("_", " ").trim();

function pairOf([key, value]: [string, unknown]): Pair {
  const kind = kindOf(key);
  return kind ? { kind, value: plain(value) } : { kind: "words", value: `${plain(key)} ${plain(value)}` };
}

function sentenceOf(before: string, pairs: readonly Pair[]): string {
  const of = (kind: Kind) =>
    pairs
      .filter((pair) => pair.kind === kind && pair.value !== "")
      .map(({ value }) => value)
      .join(" and ");
  const after = (word: string, value: string) => (value === "" ? "" : `${word} ${value}`);
  const said = of("product");
  const product = /^\d[\d .]*$/.test(said) ? `HS ${said}` : said;
  const flow = of("flow").toLowerCase();
  const isExport = flow.startsWith("exp");
  const isImport = flow.startsWith("imp");
  const [country, partner] = [of("country"), of("partner")];
  const sides = isExport
    ? [after("of", country), after("to", partner)]
    : isImport
      ? [after("of", country), after("from", partner)]
      : partner === ""
        ? [after("in", country)]
        : [`between ${country} and ${partner}`];
  return [
    before.replace(/[:\s]+$/, ""),
    of("words"),
    isExport ? "exports" : isImport ? "imports" : "",
    after(isExport || isImport ? "of" : "", product),
    after("from", of("seller")),
    after("to", of("buyer")),
    // "Exports of wheat of Italy" names the product first.
    ...sides,
    of("years"),
  ]
    .map((part) => part.trim())
    .filter((part) => part !== "")
    .join(" ");
}
