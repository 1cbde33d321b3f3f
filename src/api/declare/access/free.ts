import type { CallLimit } from "../../../core/model/ports/address-limits.ts";
import { Refusal } from "../../../core/model/refusal.ts";
import { addressBlock } from "../address.ts";
import { EACH, ownCall, SECONDS } from "./open.ts";
import type { Way } from "./way.ts";

/**
 * `free(10, "day")`: each address has ten free calls a UTC day; further calls need another way in. A call that brings
 * a payment is paid.
 */
export const free = (calls: number, per: CallLimit["per"]): Way => ({
  kind: "free",
  is_open: true,
  price: `${calls} ${EACH[per]} free`,
  security: [{}],
  schemes: {},
  statuses: [],
  async admit({ operation, presented, identity }, { limits }) {
    const block = addressBlock(presented.ip);
    const limit = { name: operation.name, calls, per };
    const call = await ownCall(limits, limit, { counted: block, block });
    if (call instanceof Refusal) return call;
    const { remaining, reset_s } = call.left;
    const headersOf = (left: number) => ({
      RateLimit: `"free";r=${left};t=${reset_s}`,
      "RateLimit-Policy": `"free";q=${calls};w=${SECONDS[per]}`,
    });
    const failed = () => {
      call.failed?.();
      return headersOf(call.failed ? remaining + 1 : remaining);
    };
    return { caller: identity.caller, pays: false, headers: headersOf(remaining), failed };
  },
});
