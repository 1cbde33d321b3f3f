import { addressOfKey, GUESSERS, ORDER, publisherOf } from "./published-accounts.ts";
import { guessingBits, isDigestOfWord, isPlaceholder, isSequence, isUsualPassword } from "./strength.ts";

/** `place`: a setting, or the file used instead. */
export type Secret = { place: string; setting: string; value: string };

const RANDOM_32 = "`openssl rand -hex 32`";
const NEW_ACCOUNT = "make a new account and move this one's money";

const OWN_SECRETS: Readonly<Record<string, { bits: number; remedy: string }>> = {
  SIGNING_KEY: {
    bits: 128,
    remedy: "make one by `openssl genpkey -algorithm ed25519 -outform DER | base64 -w0`",
  },
  GAS_KEY: { bits: 128, remedy: NEW_ACCOUNT },
  REFUND_KEY: { bits: 128, remedy: NEW_ACCOUNT },
  SEED_SECRET: { bits: 80, remedy: `make one by ${RANDOM_32}` },
  SUBJECT_MASTER_KEY: { bits: 128, remedy: `make one by ${RANDOM_32}` },
  SUBJECT_PEPPER: { bits: 128, remedy: `make one by ${RANDOM_32}, and begin a new vault with it` },
  INTERNAL_TOKEN: { bits: 80, remedy: `make one by ${RANDOM_32}` },
  METRICS_TOKEN: { bits: 32, remedy: "make one by `openssl rand -hex 24`" },
  // Issued by others under their own rules, so only the weakest are refused.
  FACILITATOR_TOKEN: { bits: 24, remedy: "ask the facilitator for another" },
  FACILITATOR_KEY_SECRET: { bits: 128, remedy: "make another key at the facilitator" },
  MODEL_API_KEY: { bits: 24, remedy: "make another at the provider of the model" },
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
  // Secrets of this repository's own fixture.
  "2b0ab07c4a28133ffcea6254ab2dc19a1e83b29eb76a18b50392e9d18cee7be1",
  "what the seeds of this fixture are made from",
]);

/** Money sent to these contracts is lost. */
export const CONTRACTS: Readonly<Record<string, string>> = {
  "0x833589fcd6edb6e08f4c7c32d4f71b54bda02913": "the contract of USDC itself",
  "0xca11bde05977b3631167028862be2a173976ca11": "the contract Multicall3",
  "0x4e59b44847b379578588920ca78fbf26c0b4956c": "the contract that deploys others",
  "0x2ce6311ddae708829bc0784c967b7d77d19fd779": "the contract behind USDC's proxy",
  "0xd9aaec86b65d86f6a7b5b1b0c42ffa531710b6ca": "the contract of bridged USDC",
  "0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48": "the contract of USDC on Ethereum",
  "0x000f3df6d732807ef1319fb7b8bb8522d0beac02": "the contract of beacon roots (EIP-4788)",
  "0x0000f90827f1c53a10cb7a02335b175320002935": "the contract of block hashes (EIP-2935)",
  "0x000000000022d473030f116ddee9f6b43ac78ba3": "the contract Permit2",
  "0x5ff137d4b0fdcd49dca30c7cf57e578a026d2789": "the EntryPoint of ERC-4337, version 0.6",
  "0x0000000071727de22e5e9d8baf0edac6f37da032": "the EntryPoint of ERC-4337, version 0.7",
  "0x4337084d9e255ff0702461cf8895ce9e3b5ff108": "the EntryPoint of ERC-4337, version 0.8",
  "0xba5ed099633d3b313e4d5f7bdc1305d3c28ba5ed": "the contract CreateX",
  "0x41675c099f32341bf84bfc5382af534df5c7461a": "the contract of Safe accounts",
  "0x7109709ecfa91a80626ff3989d68f67f5b1dd12d": "Foundry's address of cheat codes",
  "0x1804c8ab1f12e6bbf3894d4083f33e07309d1f38": "Foundry's default sender",
  "0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed": "the address of the examples in EIP-55",
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
  const owner = publisherOf(address);
  if (owner === GUESSERS) return `is an account whose private key is known to ${GUESSERS}`;
  if (owner) return `is an account whose private key is published by ${owner}`;
  if (BigInt(address) === 0n) return "is the zero address, from which nobody can send";
  if (BigInt(address) < LEAST_ADDRESS) return "is a precompile or a burn address, from which nobody can send";
  if (PREDEPLOY.test(address)) return "is a contract of Base itself";
  if (CONTRACTS[address]) return `is ${CONTRACTS[address]}`;
  if (guessingBits(address.slice(2)) < LEAST_ADDRESS_BITS)
    return "repeats a few digits, so nobody has its private key";
  return undefined;
}

/** A random address has some 130 unpredictable bits; one that begins with many zeros still has these. */
const LEAST_ADDRESS_BITS = 64;

function faultOfSecret(setting: string, value: string): string | undefined {
  const hex = value.replace(/^0x/, "");
  const isPrivateKey = setting === "GAS_KEY" || setting === "REFUND_KEY";
  const isKey = /^[0-9a-f]{64}$/.test(hex);
  if (isPrivateKey && isKey && addressOfKey(hex) === undefined)
    return `is not a private key: one is from 1 to ${hexOf(ORDER - 1n)}`;
  const owner = publisherOf(addressOfKey(hex) ?? "");
  if (owner === GUESSERS && isPrivateKey) return `is a private key known to ${GUESSERS}`;
  if (owner === GUESSERS) return "can be guessed: it is a simple private key";
  if (owner) return `is a private key that ${owner} publish${owner.includes(" and ") ? "" : "es"}`;
  if (PUBLISHED.has(value)) return "is a key that is published as an example";
  if (isPlaceholder(value) || isUsualPassword(value)) return "is the text of an example, and no secret";
  if (isDigestOfWord(hex)) return "can be guessed: it is a digest of nothing, or of a common word";
  if (guessingBits(hex) < OWN_SECRETS[setting]!.bits || isSequence(hex))
    return "can be guessed: it repeats itself, or follows the alphabet, the keyboard, the numbers or a constant";
  return undefined;
}

const hexOf = (key: bigint) => `0x${key.toString(16)}`;

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
    const isUsual = given[setting]?.split(",").some((url) => passwordsOf(url).some(isUsualPassword));
    return isUsual ? [`${setting} has a password that everybody tries first; give the role another`] : [];
  });
}

/** Covers the host part and the query, as the database and libpq read them. */
function passwordsOf(text: string): string[] {
  const url = URL.parse(text);
  const pairs = [...text.matchAll(/(?:^|\s)password\s*=\s*('[^']*'|\S+)/gi)].map(([, word]) =>
    word!.replaceAll("'", ""),
  );
  if (!url) {
    const [, password] = /:\/\/[^:@/]*:([^@/]*)@/.exec(text) ?? [];
    return password === undefined ? pairs : [...pairs, decoded(password)];
  }
  const inQuery = [...url.searchParams].flatMap(([name, value]) =>
    /^pass(word)?$/i.test(name) ? [value] : [],
  );
  return [decoded(url.password), ...inQuery, ...pairs];
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** The key would be sent unencrypted. */
export function faultsOfModel({ MODEL_BASE_URL, MODEL_API_KEY }: Readonly<Record<string, string>>): string[] {
  const url = MODEL_BASE_URL === undefined ? null : URL.parse(MODEL_BASE_URL);
  const isHere = /^(localhost|127(\.\d+){3}|\[::1\])$/.test(url?.hostname ?? "");
  if (MODEL_API_KEY === undefined || url?.protocol !== "http:" || isHere) return [];
  return ["MODEL_BASE_URL is http, and MODEL_API_KEY would travel in the clear; give an https address"];
}
