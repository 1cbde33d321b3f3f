import { timingSafeEqual } from "node:crypto";
import { refuse } from "../../../core/model/refusal.ts";
import { digestOf } from "../../../domain/access/secret.ts";
import type { Way } from "./way.ts";

/** For the operator. Calls must come from this machine, unless the operator allows others. */
export const internal = (): Way => ({
  kind: "internal token",
  security: [{ internal: [] }],
  schemes: {
    internal: {
      type: "apiKey",
      in: "header",
      name: "X-Internal-Token",
      description: "The token of the operator's servers",
    },
  },
  statuses: [403],
  invitation: "the operator's X-Internal-Token",
  async admit({ presented }, { internal }) {
    const { internal_token: given } = presented;
    if (given === undefined) return undefined;
    if (!presented.is_local && !internal.is_remote_allowed)
      refuse("forbidden", "X-Internal-Token works only from this machine");
    if (internal.token === undefined || !isSameSecret(given, internal.token))
      refuse("unauthorized", "this X-Internal-Token is wrong");
    return { caller: { kind: "internal", tenant: "operator" }, pays: false, headers: {} };
  },
});

/** Compares digests, so that timing reveals nothing. */
export const isSameSecret = (given: string, wanted: string): boolean =>
  timingSafeEqual(digestOf(given), digestOf(wanted));
