/**
 * The Ethereum Attestation Service in the words of the Chain port. What is sent to it always travels alone: it takes the sender of a
 * transaction for the attestor.
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

/** Where it is on Base and every chain of the OP Stack. Source: specs.optimism.io, Predeploys; deployments/base of eas-contracts 1.9.0. */
export const EAS_ADDRESS = "0x4200000000000000000000000000000000000021";
export const SCHEMA_REGISTRY = "0x4200000000000000000000000000000000000020";

/** What an attestation says. `weight_e4` in ten-thousandths; `attestation_id` names the log's stream, in its first 16 bytes. */
export const SCHEMA = "uint64 from,uint64 to,string skill,uint32 weight_e4,bytes32 attestation_id";
const SCHEMA_FIELDS = parseAbiParameters(SCHEMA);

const NOBODY = "0x0000000000000000000000000000000000000000";
const NOTHING: Hex = `0x${"00".repeat(32)}`;

/** keccak256 of the packed schema, resolver (none) and that it can be revoked. */
export const SCHEMA_UID = keccak256(encodePacked(["string", "address", "bool"], [SCHEMA, NOBODY, true]));

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

/** What is attested. `recipient`: an EVM key of the subject, null where it has none. */
export type Attested = {
  attestation_id: string;
  from: number;
  to: number;
  skill: string;
  weight_micro: number;
  recipient: Hex | null;
};

/** What it says, in the schema's encoding. */
export const dataOf = ({ attestation_id, from, to, skill, weight_micro }: Attested): Hex =>
  encodeAbiParameters(SCHEMA_FIELDS, [
    BigInt(from),
    BigInt(to),
    skill,
    Math.round(weight_micro / 100),
    `0x${attestation_id.padEnd(64, "0")}`,
  ]);

/** Which attestation data of the schema is of; undefined of what is not so encoded. */
function idIn(data: Hex): string | undefined {
  try {
    return decodeAbiParameters(SCHEMA_FIELDS, data)[4].slice(2, 34);
  } catch {
    return undefined;
  }
}

/** A call that must travel alone, with the options that see to it: once its nonce went to another it is not sent anew. */
export type LoneCall = { call: Call; options: SendOptions };

const lone = (call: Call, gas: bigint): LoneCall => ({
  call,
  options: { gas, alone: true, purpose: "attestation", renew: async () => ({ ...call, gas }) },
});

/** The most of one transaction: what fits into 2^24 gas (EIP-7825). */
export const MOST_ATTESTED = 40;

export const attestCall = (all: readonly Attested[]): LoneCall =>
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
                recipient: one.recipient ?? NOBODY,
                expirationTime: 0n,
                revocable: true,
                refUID: NOTHING,
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

/** Does nothing: once it is mined, nothing that the account signed before it is still under way. */
export const barrierCall = (sender: Hex): LoneCall => lone({ to: sender, data: "0x" }, 10_000n);

/** Anybody may send it, and together with others; where the schema is already, it is refused. */
export const registerCall = (): Call => ({
  to: SCHEMA_REGISTRY,
  data: encodeFunctionData({ abi: ABI, functionName: "register", args: [SCHEMA, NOBODY, true] }),
});

/** The most gas of `registerCall`. */
export const REGISTER_GAS = 300_000n;

/** Asks for what `standingIn` reads. */
export const standingCalls = (): Call[] => [
  { to: EAS_ADDRESS, data: encodeFunctionData({ abi: ABI, functionName: "version" }) },
  {
    to: SCHEMA_REGISTRY,
    data: encodeFunctionData({ abi: ABI, functionName: "getSchema", args: [SCHEMA_UID] }),
  },
];

/** The version that the contract calls itself by, and whether it knows the schema; undefined where it is not on this chain. */
export function standingIn([version, schema]: readonly CallResult[]):
  | { version: string; registered: boolean }
  | undefined {
  if (!version || !schema || !answered(version) || !answered(schema)) return undefined;
  const found = decodeFunctionResult({ abi: ABI, functionName: "getSchema", data: schema.data });
  return {
    version: decodeFunctionResult({ abi: ABI, functionName: "version", data: version.data }),
    registered: found.uid === SCHEMA_UID,
  };
}

/** Logs of all attestations of the schema that an account made in these blocks. */
export const attestedQuery = (attestor: Hex, from_block: bigint, to_block: bigint): LogQuery => ({
  address: EAS_ADDRESS,
  topics: encodeEventTopics({
    abi: ABI,
    eventName: "Attested",
    args: { attester: attestor, schemaUID: SCHEMA_UID },
  }) as Hex[],
  from_block,
  to_block,
});

/** The UID that a log of `attestedQuery` tells. */
export const uidIn = ({ data }: Log): Hex => data;

/** Asks for what `keptIn` reads. */
export const keptCall = (uid: Hex): Call => ({
  to: EAS_ADDRESS,
  data: encodeFunctionData({ abi: ABI, functionName: "getAttestation", args: [uid] }),
});

/** An attestation as the contract keeps it; `revoked_s` in seconds of Unix time, 0 while it stands. */
export type Kept = { attestation_id: string; revoked_s: number };

/** Undefined of a UID that the contract does not know. */
export function keptIn(answer: CallResult | undefined): Kept | undefined {
  if (!answer || !answered(answer)) return undefined;
  const found = decodeFunctionResult({ abi: ABI, functionName: "getAttestation", data: answer.data });
  const attestation_id = found.schema === SCHEMA_UID ? idIn(found.data) : undefined;
  return attestation_id === undefined
    ? undefined
    : { attestation_id, revoked_s: Number(found.revocationTime) };
}

const answered = ({ success, data }: CallResult) => success && data !== "0x";

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

/** Version 2 of EAS's offchain attestations (eas-sdk 2.10.0, `Offchain`): integers as decimal strings, as it is sent. */
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

/** `time_s`: seconds of Unix time; `contract_version` as `standingIn` told it. The digest is what the attestor signs. */
export function offchainOf(
  one: Attested,
  { chain_id, contract_version, time_s }: { chain_id: number; contract_version: string; time_s: number },
): { offchain: Offchain; digest: Hex } {
  const recipient = one.recipient ?? NOBODY;
  const data = dataOf(one);
  // It tells one attestation from another, and so does the id in the data; nothing about it is secret.
  const salt = keccak256(stringToHex(one.attestation_id));
  const uid = keccak256(
    concatHex([
      encodePacked(
        ["uint16", "bytes", "address", "address", "uint64", "uint64", "bool"],
        [2, stringToHex(SCHEMA_UID), recipient, NOBODY, BigInt(time_s), 0n, true],
      ),
      encodePacked(["bytes32", "bytes", "bytes32", "uint32"], [NOTHING, data, salt, 0]),
    ]),
  );
  const domain = {
    name: "EAS Attestation",
    version: contract_version,
    chainId: String(chain_id),
    verifyingContract: EAS_ADDRESS,
  } as const;
  const fixed = { schema: SCHEMA_UID, recipient, revocable: true, refUID: NOTHING, data, salt } as const;
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
