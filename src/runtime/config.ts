/** `.env.example` lists all settings with their defaults. */
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { z } from "zod";
import { signingKey as facilitatorKey } from "../adapters/facilitator-token.ts";
import { isSigningKey, signingSeed } from "../adapters/signing-key.ts";
import { secretKey } from "../adapters/subject-keys.ts";
import { formatVerifierKey } from "../anchoring/note.ts";
import { parseWitnesses } from "../anchoring/witness-client.ts";
import type { Hex } from "../core/model/chain.ts";
import {
  faultsOfAddresses,
  faultsOfModel,
  faultsOfPasswords,
  faultsOfSecrets,
  secretSettings,
} from "./settings/real-money.ts";
import { type Misspelling, misspellings } from "./settings/spelling.ts";

const flag = (fallback: boolean) =>
  z
    .enum(["0", "1", "true", "false"], "is 1 or 0")
    .default(fallback ? "1" : "0")
    .transform((text) => text === "1" || text === "true");

const wholeNumber = (least: number, most: number) =>
  z.coerce
    .number(`is a whole number from ${least} to ${most}`)
    .int(`is a whole number from ${least} to ${most}`)
    .min(least, `is at least ${least}`)
    .max(most, `is at most ${most}`);

const integer = (least: number, most: number, fallback: number) => wholeNumber(least, most).default(fallback);

const postgresUrl = z
  .string()
  .regex(/^postgres(ql)?:\/\//, "is a Postgres URL: postgres://user:password@host:5432/database");

const address = z.string().regex(/^0x[0-9a-fA-F]{40}$/, "is an address: 0x and 40 hex digits");

const privateKey = z
  .string()
  .regex(/^0x[0-9a-fA-F]{64}$/, "is a private key: 0x and 64 hex digits")
  .transform((text) => text.toLowerCase() as Hex);

const subjectSecret = z
  .string()
  .refine(
    (text) => secretKey(text) !== undefined,
    "is 32 random bytes: 64 hex digits, as `openssl rand -hex 32` makes them",
  )
  .optional();

const facilitatorSecret = z.string().superRefine((text, context) => {
  try {
    facilitatorKey(text);
  } catch (error) {
    context.addIssue({ code: "custom", message: (error as Error).message });
  }
});

const witnesses = z
  .string()
  .superRefine((text, context) => {
    try {
      parseWitnesses(text);
    } catch (error) {
      const message = `is a list of url#name+id+key, separated by commas: ${(error as Error).message}`;
      context.addIssue({ code: "custom", message });
    }
  })
  .default("");

const portRanges = z
  .string()
  .regex(
    /^(\d{1,5}(-\d{1,5})?(,|$))*$/,
    "is a list of ports and ranges of ports, separated by commas: 8000,9000-9099",
  )
  .default("");

const readPorts = (text: string) =>
  text.split(",").flatMap((range) => {
    const [first, last = first] = range.split("-").map(Number) as [number, number?];
    return range === "" ? [] : [[first, last] as const];
  });

/** OpenTelemetry's header syntax: `name=value,name=value`, percent-encoded. */
const headerList = z
  .string()
  .regex(
    /^([\w.-]+=([^,=\s%]|%[0-9a-fA-F]{2})*(,|$))*$/,
    "is a list of headers, name=value, separated by commas",
  )
  .default("");

const readHeaders = (text: string): Record<string, string> =>
  Object.fromEntries(
    text.split(",").flatMap((one) => {
      const [name, value = ""] = one.split("=") as [string, string?];
      return name === "" ? [] : [[name, decodeURIComponent(value)]];
    }),
  );

const etherADay = (usual: string) =>
  z
    .string()
    .regex(/^\d{1,6}(\.\d{1,18})?$/, "is an amount of ether a day, such as 0.05")
    .default(usual);

const DEFAULT_DATA_DIR = ".tallystick";

const isBare = ({ username, password, search, hash }: URL) => username + password + search + hash === "";

/** A test compares it with `.env.example`. */
export const environment = z.object({
  PORT: integer(0, 65_535, 3000),
  LEAVE_SECONDS: integer(1, 600, 20),
  LINGER_SECONDS: integer(0, 60, 0),
  HOST: z.string().min(1).default("127.0.0.1"),
  PUBLIC_URL: z
    .url({ protocol: /^https?$/, error: "is an absolute URL such as https://api.example.org" })
    .optional(),
  DATA_DIR: z.string().min(1).default(DEFAULT_DATA_DIR),
  DATABASE_URL: postgresUrl.optional(),
  DATABASE_OWNER_URL: postgresUrl.optional(),
  DATABASE_SESSION_URL: postgresUrl.optional(),
  READ_DATABASE_URLS: z
    .string()
    .transform((text) => text.split(",").map((url) => url.trim()))
    .pipe(z.array(postgresUrl))
    .optional(),
  /** The default is 30. */
  DATABASE_POOL: wholeNumber(2, 200).optional(),
  DATABASE_WAIT_MS: integer(100, 600_000, 5_000),
  READ_WAIT_MS: integer(0, 600_000, 250),
  LOG_LEVEL: z.enum(["fatal", "error", "warn", "info", "debug", "trace", "silent"]).default("info"),
  LOG_ORIGIN_HOST: z
    .string()
    .regex(/^[a-z0-9.-]{1,253}$/, "is a host name such as log.example.org")
    .default("tallystick.local"),
  SIGNING_KEY: z
    .string()
    .refine(isSigningKey, "is a private key of Ed25519: PKCS #8 as PEM, or its DER in base64 on one line")
    .optional(),
  BASE_RPC_URL: z
    .url({
      protocol: /^https?$/,
      error: "is the URL of a Base node's JSON-RPC, such as https://mainnet.base.org",
    })
    .optional(),
  PAY_TO: address.optional(),
  PLATFORM_TOKEN: address.optional(),
  GAS_KEY: privateKey.optional(),
  REFUND_KEY: privateKey.optional(),
  GAS_BUDGET_ETH: etherADay("0.05"),
  ATTESTATION_GAS_ETH: etherADay("0.01"),
  CONTRACT_GAS_ETH: etherADay("0.01"),
  CARRYING_GAS_ETH: etherADay("0.005"),
  UNASKED_GAS_ETH: etherADay("0.005"),
  WITHDRAWAL_GAS_ETH: etherADay("0.01"),
  CHANNEL_GAS_ETH: etherADay("0.01"),
  CLAIM_GAS_ETH: etherADay("0.01"),
  ETH_USDC: integer(1, 1_000_000, 4_000),
  SETTLE_OPEN: flag(false),
  CUSTODY: flag(false),
  CUSTODY_ACCOUNT_USDC: integer(1, 1_000_000, 100),
  CUSTODY_TOTAL_USDC: integer(1, 1_000_000_000, 10_000),
  ANCHORING: flag(true),
  CHECKPOINT_SECONDS: integer(1, 86_400, 60),
  ANCHOR_SECONDS: integer(1, 604_800, 600),
  WITNESSES: witnesses,
  SEED_SECRET: z.string().min(32, "is at least 32 characters that nobody can guess").optional(),
  SEED_ROLLS: integer(1, 1_000_000_000, 10_000),
  SEED_SECONDS: integer(1, 31_536_000, 86_400),
  TRUST_SECONDS: integer(1, 86_400, 60),
  SUBJECT_KEYS_URL: postgresUrl.optional(),
  SUBJECT_MASTER_KEY: subjectSecret,
  SUBJECT_MASTER_KEY_OLD: subjectSecret,
  SUBJECT_PEPPER: subjectSecret,
  SUBJECT_BACKUP_DAYS: integer(0, 30, 30),
  SUBJECT_KEYS_ANEW: flag(false),
  FACILITATOR_URL: z.url({ protocol: /^https?$/, error: "is the URL of an x402 facilitator" }).optional(),
  FACILITATOR_TOKEN: z.string().min(1).optional(),
  FACILITATOR_KEY_ID: z.string().min(1).optional(),
  FACILITATOR_KEY_SECRET: facilitatorSecret.optional(),
  REGISTRY_AGENT_ID: z
    .string()
    .regex(/^(?:0|[1-9]\d{0,77})$/, "is the agentId of this service in the registry: digits")
    .optional(),
  MODEL_BASE_URL: z
    .url({
      protocol: /^https?$/,
      error: "is the URL of an OpenAI-compatible endpoint, such as https://api.example.org/v1",
    })
    .optional(),
  MODEL_API_KEY: z.string().min(1).optional(),
  MODEL_NAME: z
    .string()
    .regex(/^[A-Za-z0-9][A-Za-z0-9._:/-]{0,99}$/, "is a model as the endpoint names it, such as qwen3:8b")
    .optional(),
  MODEL_DAILY_TOKENS: integer(1, 1_000_000_000, 1_000_000),
  ALLOW_SYNTHETIC: flag(false),
  ALLOW_PRIVATE_WEBHOOKS: flag(false),
  WEBHOOK_PORTS: portRanges,
  TRUST_PROXY: integer(0, 10, 0),
  METRICS_TOKEN: z.string().min(16, "is at least 16 characters").optional(),
  OTEL_EXPORTER_OTLP_ENDPOINT: z
    .url({
      protocol: /^https?$/,
      error: "is the URL of an OpenTelemetry collector, such as http://127.0.0.1:4318",
    })
    .optional(),
  OTEL_EXPORTER_OTLP_HEADERS: headerList,
  OTEL_SERVICE_NAME: z.string().min(1).max(100).default("tallystick"),
  OTEL_TRACES_SAMPLER_ARG: z.coerce
    .number("is a share from 0 to 1")
    .min(0, "is a share from 0 to 1")
    .max(1, "is a share from 0 to 1")
    .default(1),
  KURRENTDB_URL: z
    .string()
    .regex(
      /^esdb(\+discover)?:\/\/\S+$/,
      "is the connection string of a KurrentDB, such as esdb://admin:changeit@127.0.0.1:2113?tls=false",
    )
    .optional(),
  KURRENTDB_GENERATION: z.coerce.number().int().min(1).default(1),
  OBJECTS_URL: z
    .url({
      protocol: /^https?$/,
      error:
        "is the URL of a bucket of S3, such as https://s3.eu-central-1.amazonaws.com/bucket or https://bucket.s3.eu-central-1.amazonaws.com",
    })
    .refine(
      (text) => !URL.canParse(text) || isBare(new URL(text)),
      "is the URL of a bucket alone: no user, no query, no fragment",
    )
    .optional(),
  AWS_ACCESS_KEY_ID: z.string().min(1).optional(),
  AWS_SECRET_ACCESS_KEY: z.string().min(1).optional(),
  AWS_SESSION_TOKEN: z.string().min(1).optional(),
  AWS_REGION: z
    .string()
    .regex(/^[a-z0-9-]{1,40}$/, "is a region such as eu-central-1")
    .optional(),
  INTERNAL_TOKEN: z.string().min(32, "is at least 32 characters that nobody can guess").optional(),
  INTERNAL_REMOTE: flag(false),
  MCP_ORIGINS: z.string().default(""),
  OPEN_CALLS_PER_MINUTE: integer(1, 1_000_000, 100),
  FREE_WRITES_A_DAY: integer(1, 1_000_000_000, 200_000),
  FREE_MB_A_DAY: integer(1, 1_000_000, 512),
  ANSWER_CACHE_MB: integer(0, 4096, 64),
  DUCKDB_MEMORY_MB: integer(128, 262_144, 768),
  IMPORT_MEMORY_MB: integer(256, 262_144, 1024),
  DUCKDB_THREADS: integer(1, 256, 2),
  SANDBOX: flag(true),
});

export type Config = ReturnType<typeof readConfig>;

/** Throws one error that names every wrong variable and its remedy. `in_file`: the names that .env has. */
export function readConfig(
  env: Record<string, string | undefined>,
  { in_file = [] }: { in_file?: readonly string[] } = {},
) {
  // Env files leave commented-out variables empty.
  const given = Object.fromEntries(
    Object.entries(env).filter(
      (entry): entry is [string, string] => entry[1] !== undefined && entry[1] !== "",
    ),
  );
  const answer = environment.safeParse(given);
  const misspelt = misspellings(given, Object.keys(environment.shape), in_file);
  const faults = [
    ...(answer.error?.issues ?? []).map((issue) => `${issue.path.join(".")} ${issue.message}`),
    ...faultsTogether(given),
    ...(given.BASE_RPC_URL ? faultsOnBase(given) : []),
    ...misspelt.filter((one) => isRefused(one, given)).map(nameOf),
  ];
  if (!answer.success || faults.length > 0)
    throw new ConfigError(
      `the environment is not right:\n${faults.map((line) => `  ${line}`).join("\n")}\nSee .env.example for every setting.`,
    );
  const { DATA_DIR, PUBLIC_URL, MCP_ORIGINS, WITNESSES, WEBHOOK_PORTS, ...rest } = answer.data;
  return {
    ...rest,
    DATA_DIR: resolve(DATA_DIR),
    PUBLIC_URL: PUBLIC_URL?.replace(/\/+$/, ""),
    WITNESSES: parseWitnesses(WITNESSES),
    OTEL_EXPORTER_OTLP_HEADERS: readHeaders(rest.OTEL_EXPORTER_OTLP_HEADERS),
    WEBHOOK_PORTS: readPorts(WEBHOOK_PORTS),
    MCP_ORIGINS: MCP_ORIGINS.split(",").filter((origin) => origin !== ""),
    /** One sentence for each suspected typo. */
    misspelt: misspelt.map(nameOf),
  };
}

type EnvironmentValues = Readonly<Record<string, string>>;

function faultsTogether(given: EnvironmentValues): string[] {
  const isOn = (setting: string) => given[setting] === "1" || given[setting] === "true";
  const faults: string[] = [];
  if ((given.MODEL_BASE_URL === undefined) !== (given.MODEL_NAME === undefined))
    faults.push(
      "MODEL_BASE_URL and MODEL_NAME go together: a model's endpoint, and its name; leave both out to use no model",
    );
  if ((given.FACILITATOR_KEY_ID === undefined) !== (given.FACILITATOR_KEY_SECRET === undefined))
    faults.push(
      "FACILITATOR_KEY_ID and FACILITATOR_KEY_SECRET go together: the key's name, and its private key; leave both out to sign no request",
    );
  if (given.FACILITATOR_TOKEN !== undefined && given.FACILITATOR_KEY_ID !== undefined)
    faults.push(
      "FACILITATOR_TOKEN and FACILITATOR_KEY_ID exclude each other: set the token, or the key that signs a token for each request",
    );
  if (given.OBJECTS_URL && !(given.AWS_ACCESS_KEY_ID && given.AWS_SECRET_ACCESS_KEY))
    faults.push(
      "OBJECTS_URL needs AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY too: requests to the bucket are signed with them",
    );
  if (given.WEBHOOK_PORTS && !isOn("ALLOW_PRIVATE_WEBHOOKS"))
    faults.push(
      "WEBHOOK_PORTS is for development, with ALLOW_PRIVATE_WEBHOOKS=1: public webhooks use port 443",
    );
  if (given.BASE_RPC_URL && isOn("ALLOW_PRIVATE_WEBHOOKS"))
    faults.push(
      "ALLOW_PRIVATE_WEBHOOKS is for development: with BASE_RPC_URL strangers could reach into this network",
    );
  return faults;
}

/**
 * With BASE_RPC_URL money is real, whatever answers at that address now: nothing may be missing that the development chain makes for
 * itself, and nothing may be what others have or can guess.
 */
const faultsOnBase = (given: EnvironmentValues): string[] => [
  ...missingForBase(given),
  ...faultsOfAddresses(given),
  ...faultsOfSecrets([...secretsSet(given), ...secretsKept(given)]),
  ...faultsOfPasswords(given),
  ...faultsOfModel(given),
];

const secretOf = (setting: string, text: string) =>
  (setting === "SIGNING_KEY" ? signingSeed(text) : text) ?? "";

const secretsSet = (given: EnvironmentValues) =>
  secretSettings.flatMap((setting) => {
    const value = secretOf(setting, given[setting] ?? "");
    return value === "" ? [] : [{ place: setting, setting, value }];
  });

/** Read where the setting is empty. */
const KEPT_FILES: Readonly<Record<string, string>> = {
  SIGNING_KEY: "signing.key",
  GAS_KEY: "gas.key",
  SEED_SECRET: "seeds.secret",
  SUBJECT_MASTER_KEY: "subjects-master.key",
  SUBJECT_PEPPER: "subjects-pepper.key",
};

/** Somebody may have replaced the files. */
const secretsKept = (given: EnvironmentValues) =>
  Object.entries(KEPT_FILES).flatMap(([setting, file]) => {
    if (given[setting] !== undefined) return [];
    const path = join(resolve(given.DATA_DIR ?? DEFAULT_DATA_DIR), file);
    const value = secretOf(setting, textOf(path));
    return value === "" ? [] : [{ place: `${path} (${setting})`, setting, value }];
  });

/** Empty for an unreadable file; its user reports the error. */
function textOf(path: string): string {
  try {
    return readFileSync(path, "utf8").trim();
  } catch {
    return "";
  }
}

/** Also refused where the typo itself hides real money. */
const isRefused = ({ certain, meant }: Misspelling, { BASE_RPC_URL }: EnvironmentValues) =>
  certain && (BASE_RPC_URL !== undefined || meant === "BASE_RPC_URL");

const nameOf = ({ given, meant, is_set }: Misspelling) =>
  `${given} is not a setting; the nearest is ${meant}, which is ${is_set ? "set too: remove one" : "not set"}`;

const missingForBase = (given: EnvironmentValues): string[] =>
  [
    !given.PAY_TO && "PAY_TO is missing, but BASE_RPC_URL is set: name the address that payments go to",
    !given.GAS_KEY &&
      !given.FACILITATOR_URL &&
      "GAS_KEY or FACILITATOR_URL is missing, but BASE_RPC_URL is set: one of them settles payments",
    !given.GAS_KEY &&
      !given.REFUND_KEY &&
      "BASE_RPC_URL also needs REFUND_KEY: the account that pays refunds",
  ].filter((line) => typeof line === "string");

export class ConfigError extends Error {
  override readonly name = "ConfigError";
}

/** Real money only where the operator enables it. */
export const custodyOf = (config: Config, embedded_chain: boolean) => ({
  open: embedded_chain || config.CUSTODY,
  account_micro: config.CUSTODY_ACCOUNT_USDC * 1e6,
  total_micro: config.CUSTODY_TOTAL_USDC * 1e6,
});

export const signingKeyFile = ({ DATA_DIR }: Config) => join(DATA_DIR, "signing.key");

export const anchoringOf = (config: Config) => ({
  checkpoint_seconds: config.CHECKPOINT_SECONDS,
  anchor_seconds: config.ANCHOR_SECONDS,
  witnesses: config.WITNESSES.map(({ url, key }) => ({ url, key: formatVerifierKey(key) })),
});
