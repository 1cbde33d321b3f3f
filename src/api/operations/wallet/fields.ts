/** The fields that operations of wallets share. */
import { z } from "zod";

export const network = z.string().describe("eip155:8453 is Base");
export const developmentChain = z.boolean().describe("True where all ether and tokens are worthless");
