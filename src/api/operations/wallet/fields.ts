/** The words that operations of wallets share. */
import { z } from "zod";
import { refuse } from "../../../domain/refusal.ts";

export const address = z.string().regex(/^0x[0-9a-f]{40}$/);
export const hash = z.string().regex(/^0x[0-9a-f]{64}$/);
export const decimal = z.string().regex(/^\d+(\.\d+)?$/);
export const network = z.string().describe("eip155:8453 is Base");
export const developmentChain = z.boolean().describe("True where all of it is worth nothing");

export const refuseField = (path: string, message: string): never =>
  refuse("invalid", `invalid input: ${path}`, { errors: [{ path, message }] });
