import type { CallLimit } from "../../../core/model/ports/address-limits.ts";
import { coreProblems } from "../../../core/model/problem.ts";
import { Refusal } from "../../../core/model/refusal.ts";
import { addressBlock } from "../address.ts";
import { EACH } from "./open.ts";
import type { Way } from "./way.ts";

/** `free(10, "day")`: ten calls a UTC day by address, then the next way in. A call with a payment is paid. */
export const free = (calls: number, per: CallLimit["per"]): Way => ({
  kind: "free",
  is_open: true,
  price: `${calls} ${EACH[per]} free`,
  security: [{}],
  schemes: {},
  statuses: [],
  async admit({ operation, presented, identity }, { limits }) {
    const limit = { name: operation.name, calls, per };
    const { granted, remaining, reset_s } = await limits.take(limit, addressBlock(presented.ip));
    if (!granted)
      return new Refusal(coreProblems["rate-limited"], `${calls} ${EACH[per]} are free, and they are used`, {
        retry_after_s: reset_s,
      });
    const headers = {
      RateLimit: `"free";r=${remaining};t=${reset_s}`,
      "RateLimit-Policy": `"free";q=${calls};w=${SECONDS[per]}`,
    };
    return { caller: identity.caller, pays: false, headers };
  },
});

const SECONDS = { minute: 60, hour: 3_600, day: 86_400 } as const;
