/** The words that operations of wallets share. */
import { z } from "zod";
import { refuse } from "../../../core/model/refusal.ts";

export const network = z.string().describe("eip155:8453 is Base");
export const developmentChain = z.boolean().describe("True where all of it is worthless");

export const refuseField = (path: string, message: string): never =>
  refuse("invalid", `invalid input: ${path}`, { errors: [{ path, message }] });
