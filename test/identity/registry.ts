/** An ERC-8004 registry on a test's own chain, at its address on Base. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { encodeFunctionData, parseAbi } from "viem/utils";
import { artifactOf } from "../../src/anchoring/contracts/compile.ts";
import type { App } from "../../src/core/app.ts";
import type { Hex } from "../../src/core/model/chain.ts";
import { REGISTRY } from "../../src/domain/identity/registry.ts";
import { runningNode } from "../chain/fixture.ts";
import { ask } from "../chain/lent-node.ts";

export type Rpc = <T>(method: string, ...params: unknown[]) => Promise<T>;

/** Calls of the node of a service's data folder, without the port. */
export const rpcOf =
  (data_dir: string): Rpc =>
  async (method, ...params) =>
    ask(`http://127.0.0.1:${(await runningNode(data_dir)).port}`, method, ...params);

const ABI = parseAbi([
  "function register() returns (uint256)",
  "function setAgentWallet(uint256 agentId, address newWallet)",
  "function transferFrom(address from, address to, uint256 tokenId)",
]);

/** Places the registry's code where the service looks for it. */
export async function placeRegistry({ rpc, app }: { rpc: Rpc; app: App }): Promise<void> {
  const source = join(import.meta.dirname, "IdentityRegistry.sol");
  const contract = { name: "IdentityRegistry", source, artifact: source };
  const artifact = artifactOf(contract, await readFile(source, "utf8"));
  const code = /INIT_CODE = "(0x[0-9a-f]+)"/.exec(artifact)![1] as Hex;
  const { latest } = await app.chain.heads();
  await rpc("anvil_setCode", REGISTRY, await rpc<Hex>("eth_call", { data: code }, "latest"));
  // The node answers about a block by its state then.
  while ((await app.chain.heads()).latest.number <= latest.number) await rpc("evm_mine");
}

export const register = () => ({
  to: REGISTRY as Hex,
  data: encodeFunctionData({ abi: ABI, functionName: "register" }),
});

export const setWallet = (ref: bigint, wallet: string) => ({
  to: REGISTRY as Hex,
  data: encodeFunctionData({ abi: ABI, functionName: "setAgentWallet", args: [ref, wallet as Hex] }),
});

export const transfer = (from: string, to: string, ref: bigint) => ({
  to: REGISTRY as Hex,
  data: encodeFunctionData({ abi: ABI, functionName: "transferFrom", args: [from as Hex, to as Hex, ref] }),
});
