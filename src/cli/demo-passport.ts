/**
 * The demo of a passport: an agent registers, proves a key, is attested, and shows a credential that anybody can
 * verify.
 */
import { randomBytes } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { createLocalJWKSet, jwtVerify } from "jose";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { z } from "zod";
import { refuse } from "../core/model/refusal.ts";
import { decimalUsdc } from "../domain/payments/usdc.ts";
import { sandboxAgentIds } from "../operator/sandbox-agents.ts";
import { ask, buy, fetchAnswer, get, parsed, sign } from "./demo-buyer.ts";
import type { DemoService } from "./demo-service.ts";
import { tell } from "./demo-story.ts";
import { agentWallet } from "./demo-wallets.ts";
import { stories } from "./stories.ts";

/** Scores are computed at most once a minute. */
const COMPUTED_MS = 100_000;
const ASK_AGAIN_MS = 1_000;

const directory = z.looseObject({
  agents: z.array(z.looseObject({ agent_id: z.string(), sx_id: z.string(), trust_score: z.number() })),
});
const registered = z.looseObject({
  passport: z.looseObject({ sx_id: z.string(), passport_hash: z.string() }),
  api_key: z.string(),
});
const challenge = z.looseObject({ challenge: z.string(), kid: z.string() });
const proven = z.looseObject({ keys: z.array(z.looseObject({ did: z.string() })) });
const attested = z.looseObject({ attestation_id: z.string(), skill: z.string(), weight: z.number() });
const micro = z.int();
const trust = z.looseObject({
  trust_score: z.number(),
  trust_level: z.string(),
  as_of: z.looseObject({ computed_event: z.string() }).nullable(),
  explanation: z
    .looseObject({
      score_micro: micro,
      attestations: z.array(
        z.looseObject({
          from: z.string(),
          event_ids: z.array(z.string()),
          points_micro: micro,
          attestor_points_micro: micro,
        }),
      ),
    })
    .nullable(),
});
const keySet = z.looseObject({
  keys: z.array(z.looseObject({ kty: z.literal("OKP"), crv: z.string(), x: z.string() })).min(1),
});
const credential = z.looseObject({
  issuer: z.string(),
  validUntil: z.string(),
  credentialSubject: z.looseObject({ id: z.string() }),
  alsoKnownAs: z.array(z.string()).optional(),
});

export async function getPassport({ url }: DemoService): Promise<void> {
  const at = (path: string) => `${url}/${path}`;
  const agent_id = `demo-agent-${randomBytes(4).toString("hex")}`;
  const of = `soul/${agent_id}`;

  tell.step(1, "Who is here", "GET /soul/directory");
  const voucher = await knownAgent(at("soul/directory?limit=100"));
  tell.line("most trusted", `${voucher.sx_id} ${voucher.agent_id}, ${points(voucher.trust_score)}`);
  tell.line("", "Invented, like all agents of the sandbox; what they do here is real.");

  tell.step(2, "Registering", "POST /soul/register");
  const { passport, api_key } = await fetchAnswer(at("soul/register"), registered, {
    body: { agent_id, issue_api_key: true },
  });
  tell.line("passport", `${passport.sx_id} ${agent_id}`);
  tell.line("hash", passport.passport_hash);
  tell.line("", "Number and hash are public, so they identify nobody.");

  tell.step(3, "Proving a key", `POST /soul/challenge, POST /${of}/keys`);
  const wallet = privateKeyToAccount(generatePrivateKey());
  const request = await fetchAnswer(at("soul/challenge"), challenge, {
    body: { agent_id, key: wallet.address, purpose: "prove" },
  });
  const signature = await wallet.signMessage({ message: request.challenge });
  const { keys } = await fetchAnswer(at(`${of}/keys`), proven, {
    headers: { Authorization: `Bearer ${api_key}` },
    body: { challenge: request.challenge, signature },
  });
  tell.line("signed", "the service's text, by a new key");
  tell.line("proven", keys.map(({ did }) => did).join(", "));

  tell.step(4, "The score before", `GET /${of}/trust`);
  const before = await fetchAnswer(at(`${of}/trust`), trust);
  tell.line(
    "score",
    `${points(before.trust_score)}, ${before.trust_level}: passports are free, trust is not`,
  );

  tell.step(5, `${voucher.sx_id} vouches for it`, "POST /v1/agent/soul/attest");
  const word = await vouch(at("v1/agent/soul/attest"), voucher.at, passport.sx_id);
  tell.line("attested", `${word.skill}, weight ${word.weight}: ${word.attestation_id}`);

  tell.step(6, "The score moves", `GET /${of}/trust?explain=true`);
  tell.line("", "Scores are recomputed after new evidence, at most once a minute (TRUST_SECONDS).");
  await tellScore(at(`${of}/trust?explain=true`));

  tell.step(7, "A credential, verified by jose", `GET /soul/passport/${passport.sx_id}/credential`);
  await tellCredential(at, passport.sx_id, wallet.address);
  tell.line("for people", at(`soul/${passport.sx_id.slice(3)}`));
}

/** The directory's first sandbox agent with a wallet; `at` is its index among them. */
async function knownAgent(url: string) {
  for (const deadline = Date.now() + COMPUTED_MS; ; await pause(ASK_AGAIN_MS)) {
    const { agents } = await fetchAnswer(url, directory);
    const found = agents.find(({ agent_id }) => agent_id === sandboxAgentIds[0]);
    if (!found)
      return refuse(
        "not_found",
        `${url} has no sandbox agent to vouch for others: start one by \`npm start\`, or omit --url`,
      );
    if (found.trust_score > 0 || Date.now() > deadline) return { ...found, at: 0 };
  }
}

/** The agent pays for its attestation with the development chain's money. */
async function vouch(url: string, at: number, subject: string): Promise<z.infer<typeof attested>> {
  const question = { body: { subject, skill: "honesty", weight: 5 } };
  const offer = await ask(url, question, stories.passport.most);
  if (!/development chain/i.test(offer.resource.description))
    refuse(
      "forbidden",
      `${url} does not settle on a development chain, but this story pays play money: start one by \`npm start\``,
    );
  const { body, settlement } = await buy(url, await sign(await agentWallet(at), offer), question);
  tell.line("paid", `${decimalUsdc(offer.amount_micro)} USDC in ${settlement.transaction}`);
  const read = attested.safeParse(parsed(body));
  return read.success ? read.data : refuse("unprocessable", `${url} is not a Tallystick service`);
}

async function tellScore(url: string): Promise<void> {
  for (const deadline = Date.now() + COMPUTED_MS; ; await pause(ASK_AGAIN_MS)) {
    const { trust_score, trust_level, as_of, explanation } = await fetchAnswer(url, trust);
    if (trust_score > 0 && explanation && as_of) {
      for (const { from, points_micro, attestor_points_micro, event_ids } of explanation.attestations) {
        const own = points(attestor_points_micro / 1e8);
        tell.line(from, `gives ${points(points_micro / 1e8)} of its own ${own}, in ${event_ids.join(", ")}`);
      }
      tell.line("score", `${points(trust_score)}, ${trust_level}`);
      return tell.line("computed", `event ${as_of.computed_event} has the digest of all scores`);
    }
    if (Date.now() > deadline)
      refuse("unavailable", "no score was computed in time; is the service healthy?");
  }
}

async function tellCredential(at: (path: string) => string, sx_id: string, wallet: string): Promise<void> {
  const url = at(`soul/passport/${encodeURIComponent(sx_id)}/credential`);
  const token = await (await get(url)).text();
  const { keys } = await fetchAnswer(at(".well-known/jwks.json"), keySet);
  const payload = await jwtVerify(token, createLocalJWKSet({ keys }), {
    typ: "vc+jwt",
    algorithms: ["EdDSA"],
  }).then(
    (verified) => verified.payload,
    (error) => refuse("unprocessable", `jose rejects the credential: ${(error as Error).message}`),
  );
  const shown = credential.parse(payload);
  const names = JSON.stringify(payload).toLowerCase();
  tell.finding({ ok: true, says: "jose verifies it by the key in /.well-known/jwks.json" });
  tell.finding({ ok: names.includes(wallet.toLowerCase()), says: "it names the key proven here" });
  tell.line("issuer", shown.issuer);
  tell.line("subject", `${shown.credentialSubject.id}, until ${shown.validUntil}`);
}

const points = (share: number) => `${(share * 100).toFixed(2)} points`;
