/**
 * Agent and domain confirm a link: a key of the agent asks for it, and the domain's DID document (did:web) names that
 * key. Source: W3C CCG, did:web Method Specification; DID Core, `alsoKnownAs`.
 */
import { z } from "zod";

const LABEL = "[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?";
const LAST_LABEL = "[a-z](?:[a-z0-9-]{0,61}[a-z0-9])?";
const DOMAIN = new RegExp(`^(?:${LABEL}\\.)*${LAST_LABEL}(?::[1-9]\\d{0,4})?$`);

/** ASCII, so no two look alike. A port is only for development; the guard of outgoing calls checks it. */
export const domainName = z
  .string()
  .max(253, "is at most 253 characters")
  .regex(DOMAIN, "is a domain in lower case, such as agent.example.org; other scripts as xn--…");

/** The most bytes read of a document. */
export const MOST_DOCUMENT = 65_536;

/** A domain with a port is on this machine's network, in development. */
export const documentUrl = (domain: string) =>
  `${domain.includes(":") ? "http" : "https"}://${domain}/.well-known/did.json`;

/** did:web percent-encodes the port. */
export const didOfDomain = (domain: string) => `did:web:${domain.replace(":", "%3A")}`;

/** The document's other names (none without a document), or the reason for no answer. */
export type DomainAnswer = { names: ReadonlySet<string> } | { silent: string };

const document = z.object({ id: z.string(), alsoKnownAs: z.array(z.string()).default([]) });

/** Only an explicit answer removes a name; any other is silence, which may pass. */
export function answerOf(
  domain: string,
  { status, body }: { status: number; body: Uint8Array },
): DomainAnswer {
  if (status === 404 || status === 410) return { names: new Set() };
  if (status >= 300 && status < 400)
    return { silent: `it answered ${status}, and redirects are not followed` };
  if (status !== 200) return { silent: `it answered ${status}` };
  const read = document.safeParse(json(body));
  if (!read.success) return { silent: "it is not a DID document of a text id and a list alsoKnownAs" };
  const { id, alsoKnownAs } = read.data;
  const own = didOfDomain(domain);
  return id === own
    ? { names: new Set(alsoKnownAs.map(comparable)) }
    : { silent: `its id is another than ${own}` };
}

function json(body: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(body));
  } catch {
    return undefined;
  }
}

/** Some write addresses in mixed case. */
const comparable = (name: string) => (/^did:pkh:eip155:/i.test(name) ? name.toLowerCase() : name);
