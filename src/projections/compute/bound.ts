/** A node gets no task of a bound tenant: such a task would earn no trust. */
import { utc } from "../../core/read-models/times.ts";

const live = `d.valid_to is null and d.expires_at > ${utc("clock_timestamp()")}`;

/**
 * SQL: a JSON array of the bound tenants of passport `a.sx`: the agent, agents with a delegation from or to it, the
 * wallets of all these, and tenants that a wallet of the agent paid for.
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
