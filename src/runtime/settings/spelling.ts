import { distance } from "fastest-levenshtein";

/** `certain`: hardly another program's. `is_set`: the setting exists too. */
export type Misspelling = { given: string; meant: string; certain: boolean; is_set?: true };

/** Refused even with the correct setting: only one of the two would be read. */
const WRONG_NAMES: Readonly<Record<string, string>> = {
  ...namesOf(
    "BASE_RPC_URL",
    "BASE_RPC BASE_RPC_URI BASE_RPC_URLS BASE_RCP_URL BASE_NODE_URL BASE_RPC_ENDPOINT RPC_URL",
  ),
  ...namesOf("PAY_TO", "PAYTO PAY_TO_ADDRESS PAYTO_ADDRESS"),
  ...namesOf("DATABASE_URL", "DATABSE_URL DATABASE_URI DB_URL"),
  ...namesOf("SIGNING_KEY", "SIGN_KEY SIGNINGKEY SIGNING_KEYS"),
  ...namesOf("SUBJECT_KEYS_URL", "SUBJECT_KEY_URL"),
  ...namesOf("GAS_BUDGET_ETH", "GAS_BUDGET GAS_BUDGET_WEI GAS_BUDGET_ETHER GAS_BUGDET_ETH MAX_GAS_ETH"),
  ...namesOf("REFUND_KEY", "REFUNDKEY REFUND_PRIVATE_KEY"),
  ...namesOf("GAS_KEY", "GASKEY GAS_PRIVATE_KEY"),
};

function namesOf(meant: string, names: string): Record<string, string> {
  return Object.fromEntries(names.split(" ").map((name) => [name, meant]));
}

const PREFIX = "TALLYSTICK_";
/** Shorter names resemble those of other programs: HOME and HOST. */
const SHORTEST = 6;

/** `in_file`: names of .env, which are meant for this program, so a short one can be a mistake too. */
export function misspellings(
  given: Readonly<Record<string, string>>,
  settings: readonly string[],
  in_file: readonly string[] = [],
): Misspelling[] {
  const unset = settings.filter((setting) => !(setting in given));
  const missing = unset.filter((setting) => setting.length >= SHORTEST);
  const short = unset.filter((setting) => setting.length < SHORTEST);
  return Object.entries(given).flatMap(([name, value]) => {
    if (settings.includes(name)) return [];
    const wrong = WRONG_NAMES[name];
    if (wrong !== undefined)
      return [{ given: name, meant: wrong, certain: true, ...(wrong in given && { is_set: true as const }) }];
    const near = missing.flatMap((meant) => {
      const certain = likeness(name, value, meant);
      return certain === undefined ? [] : [{ given: name, meant, certain }];
    });
    near.sort((a, b) => distance(name, a.meant) - distance(name, b.meant));
    if (near.length > 0 || !in_file.includes(name)) return near.slice(0, 1);
    const meant = short.find((setting) => likeness(name, value, setting));
    return meant === undefined ? [] : [{ given: name, meant, certain: false }];
  });
}

/** Undefined for an unrelated name. */
function likeness(name: string, value: string, meant: string): boolean | undefined {
  // Kubernetes sets such variables for a service of this name.
  if (name === PREFIX + meant) return !/^tcp:\/\//.test(value);
  const plain = name.toUpperCase().replaceAll("-", "_");
  if (lettersOf(plain) === lettersOf(meant)) return true;
  if (plain.length === meant.length && sorted(plain) === sorted(meant)) return true;
  const edits = distance(plain, meant);
  if (edits <= (meant.length >= 12 ? 2 : 1)) return true;
  if (FAMILIES.test(meant)) return undefined;
  const isNear = plain[0] === meant[0] && edits <= Math.floor(meant.length / 5);
  return isNear || lacksOneWord(plain, meant) ? false : undefined;
}

/** Other programs have settings of these families. */
const FAMILIES = /^(AWS|OTEL)_/;

/** BASE_RPC for BASE_RPC_URL; a single word proves nothing. */
function lacksOneWord(name: string, meant: string): boolean {
  const words = meant.split("_");
  return words.length > 2 && words.some((_, at) => words.toSpliced(at, 1).join("_") === name);
}

const lettersOf = (name: string) => name.replaceAll("_", "");
const sorted = (name: string) => [...name].sort().join("");
