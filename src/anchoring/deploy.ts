/** Deploys the anchoring contract if the chain lacks it. */

import type { Hex } from "../core/model/chain.ts";
import { DEPLOYMENT_PROXY } from "../core/model/deployment.ts";
import type { Chain } from "../core/model/ports/chain.ts";
import { refuse } from "../core/model/refusal.ts";
import { ANCHOR_ADDRESS, DEPLOY_GAS, deployCall } from "../domain/anchoring/contract.ts";

/** `transaction`: the deployment; null if the contract existed. */
export type AnchorDeployment = { address: Hex; transaction: Hex | null };

/** Rejects with a Refusal, and as `Chain.send` does. */
export async function deployAnchor(chain: Chain): Promise<AnchorDeployment> {
  const [contract, proxy] = await chain.hasCode([ANCHOR_ADDRESS, DEPLOYMENT_PROXY.address]);
  if (contract) return { address: ANCHOR_ADDRESS, transaction: null };
  if (!proxy)
    refuse(
      "unavailable",
      `this chain has no deployment proxy at ${DEPLOYMENT_PROXY.address}: put it there first`,
    );
  const { transaction } = await chain.send(deployCall(), {
    gas: DEPLOY_GAS,
    alone: true,
    purpose: "deployment",
  });
  const [placed] = await chain.hasCode([ANCHOR_ADDRESS]);
  if (!placed) refuse("unavailable", `${transaction} did not deploy the contract at ${ANCHOR_ADDRESS}`);
  return { address: ANCHOR_ADDRESS, transaction };
}
