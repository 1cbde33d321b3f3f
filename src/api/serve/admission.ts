import { Refusal, refuse } from "../../core/model/refusal.ts";
import { createKeys, type KeyCheck } from "../declare/access/key.ts";
import { admitOnBehalf } from "../declare/access/on-behalf.ts";
import { identifySigner } from "../declare/access/signed-request.ts";
import { confirmSubject, identifySubject, isSubjectSecret } from "../declare/access/subject.ts";
import {
  type AccessParts,
  type Admission,
  type Attempt,
  type Credentials,
  type GuardedOperation,
  type Identity,
  invitationOf,
  type Parts,
  paymentOf,
  takesWallet,
  type Way,
} from "../declare/access/way.ts";
import { anonymous } from "../declare/caller.ts";

/** Without a credential, a priced operation answers 402. So does an operation to which a wallet may sign in. */
export type Verdict = Admission | "pay" | "sign in";

export type Gate = {
  admit(operation: GuardedOperation, presented: Credentials): Promise<Verdict>;
  forgetKeys(): void;
};

export function createGate(given: AccessParts, checks?: readonly KeyCheck[]): Gate {
  const keys = createKeys(given, checks);
  const parts: Parts = { ...given, keys };
  return {
    async admit(operation, presented) {
      const identity = await identify(parts, presented);
      const attempt = { operation, presented, identity };
      if (presented.on_behalf_of !== undefined)
        return lasting(parts, attempt, await admitOnBehalf(attempt, parts, presented.on_behalf_of));
      let refusal: Refusal | undefined;
      for (const way of inOrder(operation, presented)) {
        const verdict = await way.admit(attempt, parts);
        if (verdict instanceof Refusal) refusal ??= verdict;
        else if (verdict) return lasting(parts, attempt, verdict);
      }
      if (paymentOf(operation)) return "pay";
      if (refusal) throw refusal;
      const isBare = identity.caller === anonymous && presented.payment === undefined;
      if (isBare && takesWallet(operation)) return "sign in";
      const code = identity.caller === anonymous || needsInternal(operation) ? "unauthorized" : "forbidden";
      return refuse(code, `this needs ${invitationOf(operation)}`);
    },
    forgetKeys: () => keys.forget(),
  };
}

/** The operation needs the internal token. No scope of an API key replaces it, so a caller with a key gets 401. */
const needsInternal = ({ access }: GuardedOperation): boolean =>
  access.every(({ security }) => security.every((one) => "internal" in one));

/**
 * Checks the key, the delegation and the agent's status, and repeats this during a long call. Suspended agents may
 * read, so only an agent that could act at first is refused later.
 */
function lasting(
  parts: Parts,
  { presented: { secret }, identity: { signer } }: Pick<Attempt, "presented" | "identity">,
  admission: Admission,
): Admission {
  const { load, refuseSuspended, findSigner } = parts;
  let couldAct: boolean | undefined;
  const still = async () => {
    if (secret !== undefined)
      await (isSubjectSecret(secret) ? confirmSubject(parts, secret) : parts.keys.confirm(secret));
    if (signer !== undefined && !(await findSigner?.(signer)))
      refuse("unauthorized", "the key that signed this request was revoked meanwhile");
    if (!load) return;
    await admission.confirm?.(load);
    const suspended = await refuseSuspended?.(admission.caller, load).catch(refusalOnly);
    if (suspended && couldAct) throw suspended;
    couldAct ??= !suspended;
  };
  return { ...admission, still };
}

function refusalOnly(error: unknown): Refusal {
  if (error instanceof Refusal) return error;
  throw error;
}

/** Identifies the caller. A wrong key is always refused, because a typo must not make a wallet pay. */
async function identify(parts: Parts, { secret, ip, signed }: Credentials): Promise<Identity> {
  const signer = signed && (await identifySigner(parts, signed));
  if (signer && secret !== undefined)
    refuse(
      "invalid",
      "send an API key or an agent's signature of the request, not both: each names a caller",
    );
  if (secret === undefined) return signer ?? { caller: anonymous };
  return isSubjectSecret(secret) ? identifySubject(parts, secret, ip) : parts.keys.identify(secret, ip);
}

/** A caller that sends a payment wants the purchase and its receipt, so payment is tried first. */
const inOrder = ({ access }: GuardedOperation, { payment }: Credentials): readonly Way[] =>
  payment === undefined ? access : access.toSorted((a, b) => Number(!!b.payment) - Number(!!a.payment));

export function presentedSecret(
  authorization: string | undefined,
  apiKey: string | undefined,
): string | undefined {
  const bearer = /^Bearer +(\S+) *$/i.exec(authorization ?? "")?.[1];
  if (authorization !== undefined && bearer === undefined) {
    refuse("unauthorized", "Authorization must read: Bearer sk_…");
  }
  if (bearer !== undefined && apiKey !== undefined && bearer !== apiKey) {
    refuse("unauthorized", "Authorization and X-API-Key carry different keys; send one");
  }
  return bearer ?? apiKey;
}
