/** Tenants that are one hand with a node: it gets none of their tasks, as their tasks would give it no points of trust. */
import { utc } from "./times.ts";

const live = `d.valid_to is null and d.expires_at > ${utc("clock_timestamp()")}`;

/**
 * SQL: a JSON array of them for the passport `a.sx`. They are the agent, agents with a delegation between it and them, the wallets of all of
 * these, and tenants that a wallet of the agent has paid for.
 */
export const BOUND_TENANTS = `(with bound (sx) as (
      select a.sx
      union select d.to_sx from read.trust_delegations_v3 d where d.from_sx = a.sx and ${live}
      union select d.from_sx from read.trust_delegations_v3 d where d.to_sx = a.sx and ${live})
    select json_agg(tenant order by tenant) from (
      select 'soul:' || sx as tenant from bound
      union select 'wallet:' || w.wallet from bound join read.trust_wallets_v3 w using (sx) where w.valid_to is null
      union select p.tenant from read.trust_wallets_v3 w join read.trust_payments_v3 p on p.payer = w.wallet
        where w.sx = a.sx and w.valid_to is null) tenants)`;
