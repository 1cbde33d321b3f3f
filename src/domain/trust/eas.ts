/**
 * Calls of the Ethereum Attestation Service. EAS takes a transaction's sender for the attestor, so its calls are never
 * batched through another contract.
 */
import {
  concatHex,
  decodeAbiParameters,
  decodeFunctionResult,
  encodeAbiParameters,
  encodeEventTopics,
  encodeFunctionData,
  encodePacked,
  hashTypedData,
  keccak256,
  parseAbi,
  parseAbiParameters,
  stringToHex,
} from "viem/utils";
import type { Call, CallResult, Hex, Log, LogQuery, SendOptions } from "../../core/model/chain.ts";

/**
 * The address on Base and every OP Stack chain. Source: specs.optimism.io, Predeploys; deployments/base of
 * eas-contracts 1.9.0.
 */
export const EAS_ADDRESS = "0x4200000000000000000000000000000000000021";
export const SCHEMA_REGISTRY = "0x4200000000000000000000000000000000000020";

/**
 * Content of an attestation. `weight_e4`: ten-thousandths; `attestation_id`: the first 16 bytes name the log's stream.
 */
const SCHEMA = "uint64 from,uint64 to,string skill,uint32 weight_e4,bytes32 attestation_id";
const SCHEMA_FIELDS = parseAbiParameters(SCHEMA);

const ZERO_ADDRESS = "0x0000000000000000000000000000000000000000";
const ZERO_HASH: Hex = `0x${"00".repeat(32)}`;

/** keccak256 of the packed schema, the resolver (none), and revocable = true. */
export const SCHEMA_UID = keccak256(
  encodePacked(["string", "address", "bool"], [SCHEMA, ZERO_ADDRESS, true]),
);

const ABI = parseAbi([
  "struct Request { address recipient; uint64 expirationTime; bool revocable; bytes32 refUID; bytes data; uint256 value; }",
  "struct Requests { bytes32 schema; Request[] data; }",
  "struct Revocation { bytes32 uid; uint256 value; }",
  "struct Revocations { bytes32 schema; Revocation[] data; }",
  "struct Attestation { bytes32 uid; bytes32 schema; uint64 time; uint64 expirationTime; uint64 revocationTime; bytes32 refUID; address recipient; address attester; bool revocable; bytes data; }",
  "struct Schema { bytes32 uid; address resolver; bool revocable; string schema; }",
  "function version() view returns (string)",
  "function multiAttest(Requests[] requests) payable returns (bytes32[])",
  "function multiRevoke(Revocations[] requests) payable",
  "function getAttestation(bytes32 uid) view returns (Attestation)",
  "function getSchema(bytes32 uid) view returns (Schema)",
  "function register(string schema, address resolver, bool revocable) returns (bytes32)",
  "event Attested(address indexed recipient, address indexed attester, bytes32 uid, bytes32 indexed schemaUID)",
]);

/** `recipient`: an EVM key of the subject, null = none. */
export type AttestationContent = {
  attestation_id: string;
  from: number;
  to: number;
  skill: string;
  weight_micro: number;
  recipient: Hex | null;
};

/** ABI encoding by the schema. */
export const dataOf = ({ attestation_id, from, to, skill, weight_micro }: AttestationContent): Hex =>
  encodeAbiParameters(SCHEMA_FIELDS, [
    BigInt(from),
    BigInt(to),
    skill,
    Math.round(weight_micro / 100),
    `0x${attestation_id.padEnd(64, "0")}`,
  ]);

/** undefined = the data has another encoding. */
function idIn(data: Hex): string | undefined {
  try {
    return decodeAbiParameters(SCHEMA_FIELDS, data)[4].slice(2, 34);
  } catch {
    return undefined;
  }
}

/** A call in a transaction of its own; once another took its nonce, it is not sent again. */
export type LoneCall = { call: Call; options: SendOptions };

const lone = (call: Call, gas: bigint): LoneCall => ({
  call,
  options: { gas, alone: true, purpose: "attestation", renew: async () => ({ ...call, gas }) },
});

/** 2^24 gas (EIP-7825) pays for this many per transaction. */
export const MOST_PER_TRANSACTION = 40;

export const attestCall = (all: readonly AttestationContent[]): LoneCall =>
  lone(
    {
      to: EAS_ADDRESS,
      data: encodeFunctionData({
        abi: ABI,
        functionName: "multiAttest",
        args: [
          [
            {
              schema: SCHEMA_UID,
              data: all.map((one) => ({
                recipient: one.recipient ?? ZERO_ADDRESS,
                expirationTime: 0n,
                revocable: true,
                refUID: ZERO_HASH,
                data: dataOf(one),
                value: 0n,
              })),
            },
          ],
        ],
      }),
    },
    100_000n + 380_000n * BigInt(all.length),
  );

export const revokeCall = (uids: readonly Hex[]): LoneCall =>
  lone(
    {
      to: EAS_ADDRESS,
      data: encodeFunctionData({
        abi: ABI,
        functionName: "multiRevoke",
        args: [[{ schema: SCHEMA_UID, data: uids.map((uid) => ({ uid, value: 0n })) }]],
      }),
    },
    100_000n + 60_000n * BigInt(uids.length),
  );

/** A no-op: once it is mined, no earlier transaction of the account is pending. */
export const barrierCall = (sender: Hex): LoneCall => lone({ to: sender, data: "0x" }, 10_000n);

/** Any account may send it, also batched; it reverts if the schema is registered. */
export const registerCall = (): Call => ({
  to: SCHEMA_REGISTRY,
  data: encodeFunctionData({ abi: ABI, functionName: "register", args: [SCHEMA, ZERO_ADDRESS, true] }),
});

export const REGISTER_GAS = 300_000n;

/** Calls whose results `statusIn` decodes. */
export const statusCalls = (): Call[] => [
  { to: EAS_ADDRESS, data: encodeFunctionData({ abi: ABI, functionName: "version" }) },
  {
    to: SCHEMA_REGISTRY,
    data: encodeFunctionData({ abi: ABI, functionName: "getSchema", args: [SCHEMA_UID] }),
  },
];

/** The version of the contract, and whether the schema is registered; undefined = no EAS on this chain. */
export function statusIn([version, schema]: readonly CallResult[]):
  | { version: string; registered: boolean }
  | undefined {
  if (!version || !schema || !hasData(version) || !hasData(schema)) return undefined;
  const found = decodeFunctionResult({ abi: ABI, functionName: "getSchema", data: schema.data });
  return {
    version: decodeFunctionResult({ abi: ABI, functionName: "version", data: version.data }),
    registered: found.uid === SCHEMA_UID,
  };
}

/** Logs of the attestor's attestations of the schema in these blocks. */
export const attestationLogs = (attestor: Hex, from_block: bigint, to_block: bigint): LogQuery => ({
  address: EAS_ADDRESS,
  topics: encodeEventTopics({
    abi: ABI,
    eventName: "Attested",
    args: { attester: attestor, schemaUID: SCHEMA_UID },
  }) as Hex[],
  from_block,
  to_block,
});

export const uidIn = ({ data }: Log): Hex => data;

/** The call whose result `attestationIn` decodes. */
export const attestationCall = (uid: Hex): Call => ({
  to: EAS_ADDRESS,
  data: encodeFunctionData({ abi: ABI, functionName: "getAttestation", args: [uid] }),
});

/** `revoked_s`: Unix seconds, 0 = not revoked. */
export type EasAttestation = { attestation_id: string; revoked_s: number };

/** undefined = the contract has no such UID. */
export function attestationIn(answer: CallResult | undefined): EasAttestation | undefined {
  if (!answer || !hasData(answer)) return undefined;
  const found = decodeFunctionResult({ abi: ABI, functionName: "getAttestation", data: answer.data });
  const attestation_id = found.schema === SCHEMA_UID ? idIn(found.data) : undefined;
  return attestation_id === undefined
    ? undefined
    : { attestation_id, revoked_s: Number(found.revocationTime) };
}

const hasData = ({ success, data }: CallResult) => success && data !== "0x";

const OFFCHAIN_TYPES = {
  Attest: [
    { name: "version", type: "uint16" },
    { name: "schema", type: "bytes32" },
    { name: "recipient", type: "address" },
    { name: "time", type: "uint64" },
    { name: "expirationTime", type: "uint64" },
    { name: "revocable", type: "bool" },
    { name: "refUID", type: "bytes32" },
    { name: "data", type: "bytes" },
    { name: "salt", type: "bytes32" },
  ],
} as const;

/** Version 2 of EAS's offchain attestations (eas-sdk 2.10.0, `Offchain`); integers as decimal strings. */
export type Offchain = {
  version: 2;
  uid: Hex;
  domain: { name: string; version: string; chainId: string; verifyingContract: Hex };
  primaryType: "Attest";
  types: typeof OFFCHAIN_TYPES;
  message: {
    version: 2;
    schema: Hex;
    recipient: Hex;
    time: string;
    expirationTime: "0";
    revocable: true;
    refUID: Hex;
    data: Hex;
    salt: Hex;
  };
};

/** `time_s`: Unix seconds; `contract_version` from `statusIn`. The attestor signs `digest`. */
export function offchainOf(
  one: AttestationContent,
  { chain_id, contract_version, time_s }: { chain_id: number; contract_version: string; time_s: number },
): { offchain: Offchain; digest: Hex } {
  const recipient = one.recipient ?? ZERO_ADDRESS;
  const data = dataOf(one);
  // The salt only separates attestations and need not be secret.
  const salt = keccak256(stringToHex(one.attestation_id));
  const uid = keccak256(
    concatHex([
      encodePacked(
        ["uint16", "bytes", "address", "address", "uint64", "uint64", "bool"],
        [2, stringToHex(SCHEMA_UID), recipient, ZERO_ADDRESS, BigInt(time_s), 0n, true],
      ),
      encodePacked(["bytes32", "bytes", "bytes32", "uint32"], [ZERO_HASH, data, salt, 0]),
    ]),
  );
  const domain = {
    name: "EAS Attestation",
    version: contract_version,
    chainId: String(chain_id),
    verifyingContract: EAS_ADDRESS,
  } as const;
  const fixed = { schema: SCHEMA_UID, recipient, revocable: true, refUID: ZERO_HASH, data, salt } as const;
  const digest = hashTypedData({
    domain: { ...domain, chainId: chain_id },
    types: OFFCHAIN_TYPES,
    primaryType: "Attest",
    message: { ...fixed, version: 2, time: BigInt(time_s), expirationTime: 0n },
  });
  return {
    offchain: {
      version: 2,
      uid,
      domain,
      primaryType: "Attest",
      types: OFFCHAIN_TYPES,
      message: { ...fixed, version: 2, time: String(time_s), expirationTime: "0" },
    },
    digest,
  };
}
