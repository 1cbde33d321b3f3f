/** The operator's actions on keys: issue, list and revoke. The domain decides what a key may do. */
import { type App, operatorMeta } from "../core/app.ts";
import { refuse } from "../core/model/refusal.ts";
import * as key from "../domain/access/key.ts";
import { digestOf, makeSecret, type Space } from "../domain/access/secret.ts";
import { type KeyRow, keyById, keysProjection, listKeys } from "../projections/access/keys.ts";

export type IssueRequest = Pick<key.KeyFacts, "tenant" | "label" | "scopes" | "daily" | "monthly"> & {
  space: Space;
};

/** The secret is in no other answer. */
export type IssuedKey = { key_id: string; tenant: string; secret: string };

export async function issueKey(app: App, request: IssueRequest): Promise<IssuedKey> {
  const key_id = `k_${Buffer.from(app.random.bytes(12)).toString("hex")}`;
  const secret = makeSecret(request.space, app.random.bytes(32));
  const facts: key.KeyFacts = {
    ...request,
    key_id,
    secret_sha256: digestOf(secret).toString("hex"),
    issued_at: app.clock.now().toISOString(),
  };
  const tenant = key.tenantOf(request.tenant, request.space);
  await app.decide(key, { tenant, id: key_id }, key.issue(facts), { meta: operatorMeta("keys.issue") });
  // The holder may use the secret at once. If the wait fails, the key still exists and is returned.
  await folded(app).catch(() => false);
  return { key_id, tenant, secret };
}

export async function revokeKey(
  app: App,
  keyId: string,
): Promise<Extract<key.KeyState, { status: "revoked" }>> {
  await listed(app);
  const row = await keyById(app.pool, keyId);
  if (!row) refuse("not_found", `there is no key ${keyId}; \`tallystick keys list\` shows them`);
  const at = app.clock.now().toISOString();
  const target = { tenant: row.tenant, id: keyId };
  const { result } = await app.decide(key, target, key.revoke(at), { meta: operatorMeta("keys.revoke") });
  const { state } = result;
  if (state?.status !== "revoked") throw new Error(`key ${keyId} did not become revoked`);
  await folded(app).catch(() => false);
  return state;
}

/** A killed process's lease expires within this. */
const FOLDED_MS = 8_000;

/** Waits until the key list includes the whole log; false while it lags. */
async function folded(app: App): Promise<boolean> {
  const { position } = await app.store.head();
  return app.runner.reached(keysProjection, position, FOLDED_MS);
}

/** A key is only looked up in a complete list. */
async function listed(app: App): Promise<void> {
  if (!(await folded(app)))
    refuse("unavailable", "the list of keys lags behind the log; try again in a few seconds");
}

/** Every key of a tenant, or of all, read page by page. */
export async function* listAllKeys(app: App, tenant: string | undefined): AsyncGenerator<KeyRow> {
  await listed(app);
  for (let after: string | undefined; ; ) {
    const page = await listKeys(app.pool, { tenant, after, limit: 100 });
    yield* page;
    if (page.length < 100) return;
    after = page[page.length - 1]!.key_id;
  }
}
