import { publishedAddresses, publishedKeys } from "./published-accounts.ts";
import { guessingBits, isPlaceholder, isUsualPassword } from "./strength.ts";

/** `place`: a setting, or the file used instead. */
export type Secret = { place: string; setting: string; value: string };

const RANDOM_32 = "`openssl rand -hex 32`";
const NEW_ACCOUNT = "make a new account and move what this one has";

const OWN_SECRETS: Readonly<Record<string, { bits: number; remedy: string }>> = {
  SIGNING_KEY: {
    bits: 128,
    remedy: "make one by `openssl genpkey -algorithm ed25519 -outform DER | base64 -w0`",
  },
  GAS_KEY: { bits: 128, remedy: NEW_ACCOUNT },
  REFUND_KEY: { bits: 128, remedy: NEW_ACCOUNT },
  SEED_SECRET: { bits: 80, remedy: `make one by ${RANDOM_32}` },
  SUBJECT_MASTER_KEY: { bits: 128, remedy: `make one by ${RANDOM_32}` },
  SUBJECT_PEPPER: { bits: 128, remedy: `make one by ${RANDOM_32}, and begin a new vault by it` },
  INTERNAL_TOKEN: { bits: 80, remedy: `make one by ${RANDOM_32}` },
  METRICS_TOKEN: { bits: 32, remedy: "make one by `openssl rand -hex 24`" },
  // Issued by others under their own rules, so only the weakest are refused.
  FACILITATOR_TOKEN: { bits: 24, remedy: "ask the facilitator for another" },
  AWS_SECRET_ACCESS_KEY: { bits: 24, remedy: "make another at the provider of the bucket" },
};

/** SUBJECT_MASTER_KEY_OLD is exempt: it replaces a weak key. */
export const secretSettings = Object.keys(OWN_SECRETS);

/** The first are seeds of RFC 8032, section 7.1; one signs docs/vectors/receipt.json. */
const PUBLISHED: ReadonlySet<string> = new Set([
  "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60",
  "4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb",
  "c5aa8df43f9f837bedb7442f31dcb7b166d38535076f094b85ce3a2e0b4458f7",
  "f5e5767cf153319517630f226876b86c8160cc583bc013744c6bf255f5cc0ee5",
  "833fe62409237b9d62ec77587520911e9a759cec1d19755b7da901b96dca3d42",
  // Of this repository's own fixture.
  "2b0ab07c4a28133ffcea6254ab2dc19a1e83b29eb76a18b50392e9d18cee7be1",
  "what the seeds of this fixture are made from",
]);

/** Money sent to these contracts is lost. */
export const CONTRACTS: Readonly<Record<string, string>> = {
  "0x833589fcd6edb6e08f4c7c32d4f71b54bda02913": "the contract of USDC itself",
  "0xca11bde05977b3631167028862be2a173976ca11": "the contract Multicall3",
  "0x4e59b44847b379578588920ca78fbf26c0b4956c": "the contract that deploys others",
  "0xfd36e04dd7bda40d9e74805de39e40405115f662": "the anchoring contract",
  "0xdd1e484ff251f60e4aeb55918a917d3dc122a69a": "the airdrop contract",
};

/** Above precompiles, burn addresses and other small numbers. */
const LEAST_ADDRESS = 2n ** 64n;
/** Base's own contracts. */
const PREDEPLOY = /^0x4200000000000000000000000000000000/;

/** Undefined for an address without a known fault. */
export function faultOfAddress(text: string): string | undefined {
  const address = text.toLowerCase();
  if (!/^0x[0-9a-f]{40}$/.test(address)) return undefined;
  const owner = publishedAddresses.get(address);
  if (owner) return `is an account whose private key is published by ${owner}`;
  if (BigInt(address) === 0n) return "is the zero address, from which nobody can send";
  if (BigInt(address) < LEAST_ADDRESS) return "is a precompile or a burn address, from which nobody can send";
  if (PREDEPLOY.test(address)) return "is a contract of Base itself";
  if (CONTRACTS[address]) return `is ${CONTRACTS[address]}`;
  if (isRepeated(address.slice(2))) return "repeats a few digits, so that nobody has its private key";
  return undefined;
}

const isRepeated = (digits: string) =>
  [1, 2, 4, 5, 8, 10].some((length) => digits === digits.slice(0, length).repeat(digits.length / length));

function faultOfSecret(setting: string, value: string): string | undefined {
  const hex = value.replace(/^0x/, "");
  const owner = publishedKeys.get(`0x${hex}`);
  if (owner) return `is a private key that ${owner} publish${owner.includes(" and ") ? "" : "es"}`;
  if (PUBLISHED.has(value)) return "is a key that is published as an example";
  if (isPlaceholder(value) || isUsualPassword(value)) return "is the text of an example, and no secret";
  if (guessingBits(hex) < OWN_SECRETS[setting]!.bits)
    return "can be guessed: it repeats a few letters, or follows the alphabet or the keyboard";
  return undefined;
}

export function faultsOfAddresses({ PAY_TO, PLATFORM_TOKEN }: Readonly<Record<string, string>>): string[] {
  const payee = PAY_TO === undefined ? undefined : faultOfAddress(PAY_TO);
  const isToken = PAY_TO !== undefined && PAY_TO.toLowerCase() === PLATFORM_TOKEN?.toLowerCase();
  const token =
    PLATFORM_TOKEN === undefined || PREDEPLOY.test(PLATFORM_TOKEN)
      ? undefined
      : faultOfAddress(PLATFORM_TOKEN);
  return [
    ...(payee ? [`PAY_TO ${payee}; give an address whose private key you alone have`] : []),
    ...(isToken
      ? ["PAY_TO is the contract of PLATFORM_TOKEN; give an address whose private key you alone have"]
      : []),
    ...(token
      ? [`PLATFORM_TOKEN ${token}; give the address of the token's contract, or leave it empty`]
      : []),
  ];
}

export function faultsOfSecrets(secrets: readonly Secret[]): string[] {
  const weak = secrets.flatMap(({ place, setting, value }) => {
    const fault = faultOfSecret(setting, value.toLowerCase());
    return fault === undefined ? [] : [`${place} ${fault}; ${OWN_SECRETS[setting]!.remedy}`];
  });
  return [...weak, ...shared(secrets)];
}

/** A leaked secret would reveal the other. Refunds may use the gas account. */
function shared(secrets: readonly Secret[]): string[] {
  const plain = (value: string) => value.toLowerCase().replace(/^0x/, "");
  return secrets.flatMap(({ place, setting, value }, at) => {
    const other = secrets.slice(0, at).find((one) => plain(one.value) === plain(value));
    if (!other || (setting === "REFUND_KEY" && other.setting === "GAS_KEY")) return [];
    return [`${place} is the same as ${other.place}; ${OWN_SECRETS[setting]!.remedy}`];
  });
}

const URLS = [
  "DATABASE_URL",
  "DATABASE_OWNER_URL",
  "DATABASE_SESSION_URL",
  "READ_DATABASE_URLS",
  "SUBJECT_KEYS_URL",
  "KURRENTDB_URL",
];

export function faultsOfPasswords(given: Readonly<Record<string, string>>): string[] {
  return URLS.flatMap((setting) => {
    const urls = given[setting]?.split(",") ?? [];
    const isUsual = urls.some((url) => {
      const [, password] = /:\/\/[^:@/]*:([^@/]*)@/.exec(url) ?? [];
      return password !== undefined && isUsualPassword(password);
    });
    return isUsual ? [`${setting} has a password that everybody tries first; give the role another`] : [];
  });
}
