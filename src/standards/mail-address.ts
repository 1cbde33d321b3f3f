/** Reads mail addresses in the form of RFC 5321 (4.1.2, 4.1.3, 4.5.3.1), with the letters of RFC 6531. */
import { domainToUnicode } from "node:url";
import { z } from "zod";

const BEYOND_ASCII = "\\u0080-\\u{10ffff}";
const ATOM = `[A-Za-z0-9!#$%&'*+/=?^_\`{|}~${BEYOND_ASCII}-]+`;
const LOCAL = new RegExp(`^(?:${ATOM}(?:\\.${ATOM})*|"(?:[ !#-\\[\\]-~${BEYOND_ASCII}]|\\\\[ -~])*")$`, "u");
const LABEL = /^[\p{L}\p{N}\p{M}](?:[\p{L}\p{N}\p{M}-]*[\p{L}\p{N}\p{M}])?$/u;
const [MOST_LOCAL, MOST_DOMAIN, MOST_LABEL, MOST] = [64, 255, 63, 254];

const octets = (text: string) => new TextEncoder().encode(text).length;

/** True for a mailbox: a local part, an @, and a domain of several labels or an address in brackets. */
export function isMailAddress(text: string): boolean {
  const at = text.lastIndexOf("@");
  const [local, domain] = [text.slice(0, Math.max(at, 0)), text.slice(at + 1)];
  if (octets(local) > MOST_LOCAL || !LOCAL.test(local) || octets(text) > MOST) return false;
  return /^\[.*\]$/.test(domain) ? isLiteral(domain.slice(1, -1)) : isDomain(domain);
}

function isDomain(domain: string): boolean {
  let ascii: string;
  try {
    // Converts letters beyond ASCII to the form in which the registries of domains store them.
    ascii = new URL(`http://${domain}`).hostname;
  } catch {
    return false;
  }
  const labels = domain.split(".");
  return (
    labels.length > 1 &&
    labels.every((label) => LABEL.test(label)) &&
    !/^\d+$/.test(labels.at(-1)!) &&
    ascii.length <= MOST_DOMAIN &&
    ascii.split(".").every((label) => label.length > 0 && label.length <= MOST_LABEL)
  );
}

function isLiteral(address: string): boolean {
  if (/^IPv6:/i.test(address)) return URL.canParse(`http://[${address.slice(5)}]`);
  const parts = address.split(".");
  return parts.length === 4 && parts.every((part) => /^(?:0|[1-9]\d{0,2})$/.test(part) && Number(part) < 256);
}

const plainName = (text: string) => text.trim().normalize("NFC").toLowerCase();

/** The same name for all spellings of a mailbox: lower case, with the domain in the form of the registries. */
export function mailboxName(text: string): string {
  const name = plainName(text);
  const at = name.lastIndexOf("@") + 1;
  const domain = name.slice(at);
  const isName = at > 0 && !domain.startsWith("[") && isDomain(domain);
  return isName ? name.slice(0, at) + new URL(`http://${domain}`).hostname : name;
}

/** Every name that a mailbox may have been stored under, today's first: earlier ones had the domain as it was written. */
export function mailboxNames(text: string): string[] {
  const name = mailboxName(text);
  const at = name.lastIndexOf("@") + 1;
  const domain = name.slice(at);
  // `domainToUnicode` returns nothing for an address in brackets.
  const inLetters = name.slice(0, at) + (domainToUnicode(domain) || domain);
  return [...new Set([name, inLetters, plainName(text)])];
}

export const mailAddress = z
  .string("is a mail address such as anna@example.org")
  .trim()
  .max(MOST, `is at most ${MOST} characters`)
  .refine(isMailAddress, "is a mail address such as anna@example.org");
