/**
 * A domain that an agent is linked to: both say so. The agent asks for it by one of its keys, and the domain's own document, a DID document
 * of did:web, names that key. Source: W3C CCG, did:web Method Specification; DID Core, `alsoKnownAs`.
 */
import { z } from "zod";

const LABEL = "[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?";
const LAST_LABEL = "[a-z](?:[a-z0-9-]{0,61}[a-z0-9])?";
const DOMAIN = new RegExp(`^(?:${LABEL}\\.)*${LAST_LABEL}(?::[1-9]\\d{0,4})?$`);

/** As it stands in the log: ASCII alone, so that no two look alike. A port is development's, as the guard of outgoing calls has it. */
export const domainName = z
  .string()
  .max(253, "is at most 253 characters")
  .regex(DOMAIN, "is a domain in lower case, such as agent.example.org; other scripts as xn--…");

/** What is read of a document. */
export const MOST_DOCUMENT = 65_536;

/** Where a domain says who it is. Domains with a port are of this machine's own network, in development. */
export const documentUrl = (domain: string) =>
  `${domain.includes(":") ? "http" : "https"}://${domain}/.well-known/did.json`;

/** A domain as a DID, whose port is percent-encoded. */
export const didOfDomain = (domain: string) => `did:web:${domain.replace(":", "%3A")}`;

/** What came of asking a domain: the names that it goes by as well, none where it has no document; or why it told nothing. */
export type DomainTold = { names: ReadonlySet<string> } | { silent: string };

const document = z.object({ id: z.string(), alsoKnownAs: z.array(z.string()).default([]) });

/** Only an answer that says so takes a name away; any other is silence, which may pass. */
export function toldBy(domain: string, { status, body }: { status: number; body: Uint8Array }): DomainTold {
  if (status === 404 || status === 410) return { names: new Set() };
  if (status >= 300 && status < 400)
    return { silent: `it answered ${status}, and redirects are not followed` };
  if (status !== 200) return { silent: `it answered ${status}` };
  const read = document.safeParse(json(body));
  if (!read.success) return { silent: "it is no DID document of a text id and a list alsoKnownAs" };
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

/** Addresses are written in mixed case by some. */
const comparable = (name: string) => (/^did:pkh:eip155:/i.test(name) ? name.toLowerCase() : name);
