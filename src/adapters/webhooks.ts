/**
 * The Webhooks port: one POST or GET to an address named by a stranger. The host is resolved here, every address is
 * checked, and the connection uses those addresses: a second look-up could differ.
 */
import { lookup, Resolver } from "node:dns/promises";
import { request as httpRequest } from "node:http";
import { request as httpsRequest } from "node:https";
import { isIP, type LookupFunction } from "node:net";
import { type WebhookAnswer, type Webhooks, WebhookUnreached } from "../core/model/ports/webhooks.ts";
import { outgoing } from "../core/tracing.ts";
import { isPublicAddress, isPublicName } from "./public-address.ts";

/** Both ends are included. */
export type PortRange = readonly [number, number];

export type WebhooksOptions = {
  /** Also allows http and private addresses; for development. */
  allow_private?: boolean;
  /** In development: ports that a URL may name, besides 443 and 80. */
  ports?: readonly PortRange[];
  /** All addresses of a host name. Default: by the name servers. */
  resolve?: (host: string) => Promise<string[]>;
  /** From the look-up to the end of the answer. */
  deadline_ms?: number;
};

const ONLY_PORTS = "names no port but 443 and 80, and those of WEBHOOK_PORTS";

/** The most bytes read of a POST's answer; its body is discarded. */
const MOST_BODY = 16_384;
const MOST_URL = 2048;
/** RFC 1035, 2.3.4. */
const MOST_HOST = 253;

type UrlRules = { allow_private: boolean; ports: readonly (readonly [number, number])[] };

/** Why a URL breaks the rules, as the end of a sentence; undefined if it does not. */
function refusalOf(text: string, { allow_private, ports }: UrlRules): string | undefined {
  if (!URL.canParse(text)) return "is an absolute URL such as https://agent.example.org/hook";
  const url = new URL(text);
  if (url.href.length > MOST_URL) return `is at most ${MOST_URL} characters`;
  if (url.hostname.length > MOST_HOST) return `names a host in more than ${MOST_HOST} characters`;
  if (url.protocol !== "https:" && !(allow_private && url.protocol === "http:"))
    return "begins with https://";
  if (url.username !== "" || url.password !== "") return "has no user name or password";
  // A port would let subscribers scan for services.
  if (!allow_private && url.port !== "") return "has no port: deliveries go to 443";
  if (allow_private) return mayHavePort(url, ports) ? undefined : ONLY_PORTS;
  const literal = literalOf(url);
  if (literal === undefined)
    return isPublicName(url.hostname)
      ? undefined
      : `names ${url.hostname}, which no public name server knows`;
  return isPublicAddress(literal) ? undefined : `names ${literal}, which is not a public address`;
}

const mayHavePort = ({ port }: URL, ports: UrlRules["ports"]): boolean =>
  ["", "443", "80"].includes(port) ||
  ports.some(([first, last]) => first <= Number(port) && Number(port) <= last);

export function createWebhooks(options: WebhooksOptions = {}): Webhooks {
  const { allow_private = false, ports = [], deadline_ms = 10_000 } = options;
  const rules = { allow_private, ports };
  const resolve = options.resolve ?? (allow_private ? resolvedLocally : addressesOf);

  const addresses = async (url: URL): Promise<string[]> => {
    const literal = literalOf(url);
    const found = literal === undefined ? await resolve(url.hostname) : [literal];
    if (found.length === 0) throw new WebhookUnreached(NOT_FOUND);
    const refused = allow_private ? undefined : found.find((address) => !isPublicAddress(address));
    if (refused !== undefined) throw new WebhookUnreached("the host is at no public address");
    return found;
  };

  /** Applies all checks, and ends by the deadline. */
  const exchange = async (text: string, message: Message): Promise<ReceivedAnswer> => {
    const refusal = refusalOf(text, rules);
    if (refusal !== undefined) throw new WebhookUnreached(`the URL ${refusal}`);
    const url = new URL(text);
    const signal = AbortSignal.timeout(deadline_ms);
    try {
      const found = await Promise.race([addresses(url), aborted(signal)]);
      const about = { "http.request.method": message.method, "server.address": url.hostname };
      return await outgoing(`webhook ${message.method}`, about, (traced) =>
        send(url, { ...message, headers: { ...message.headers, ...traced } }, found, signal),
      );
    } catch (error) {
      if (error instanceof WebhookUnreached) throw error;
      const reason = signal.aborted ? `no answer within ${deadline_ms / 1000} s` : reasonOf(error);
      throw new WebhookUnreached(reason, { cause: error });
    }
  };

  return {
    refusalOf: (text) => refusalOf(text, rules),
    async post({ url, headers, body }) {
      const length = { "content-length": String(Buffer.byteLength(body)) };
      const message = { method: "POST", headers: { ...headers, ...length }, body, most: MOST_BODY } as const;
      const { status, retry_after } = await exchange(url, message);
      return { status, retry_after };
    },
    async get({ url, headers, most }) {
      const { status, body, end } = await exchange(url, { method: "GET", headers, most });
      if (end === "cut") throw new WebhookUnreached(`its answer is more than ${most} bytes`);
      if (end === "broken") throw new WebhookUnreached("its answer breaks off, or does not end in time");
      return { status, body };
    },
  };
}

/** `most`: the most bytes read of the answer. */
type Message = {
  method: "POST" | "GET";
  headers: Record<string, string>;
  body?: string;
  most: number;
};

/** An answer as far as it was received: whole, cut at the limit, or broken off. */
type ReceivedAnswer = WebhookAnswer & { body: Buffer; end: "whole" | "cut" | "broken" };

function send(
  url: URL,
  { method, headers, body, most }: Message,
  addresses: readonly string[],
  signal: AbortSignal,
): Promise<ReceivedAnswer> {
  const open = url.protocol === "https:" ? httpsRequest : httpRequest;
  return new Promise((done, failed) => {
    const request = open(url, {
      method,
      headers,
      // A new connection, to the addresses just checked.
      agent: false,
      lookup: lookupIn(addresses),
      signal,
    });
    let heard: (() => ReceivedAnswer) | undefined;
    // The status has arrived, whatever happens to the rest.
    request.on("error", (error) => (heard ? done(heard()) : failed(error)));
    request.on("response", (response) => {
      const said = { status: response.statusCode!, retry_after: response.headers["retry-after"] };
      const chunks: Buffer[] = [];
      let read = 0;
      heard = () => ({
        ...said,
        body: Buffer.concat(chunks),
        end: read > most ? "cut" : response.complete ? "whole" : "broken",
      });
      response.on("data", (chunk: Buffer) => {
        read += chunk.length;
        if (read > most) response.destroy();
        else chunks.push(chunk);
      });
      response.on("error", () => undefined);
      response.on("close", () => done(heard!()));
    });
    request.end(body);
  });
}

/** Always returns the addresses found before. */
const lookupIn =
  (addresses: readonly string[]): LookupFunction =>
  (_host, options, answer) => {
    const found = addresses.map((address) => ({ address, family: isIP(address) }));
    if (options.all) answer(null, found);
    else answer(null, found[0]!.address, found[0]!.family);
  };

/** The URL's IP address, if it has no host name. */
function literalOf({ hostname }: URL): string | undefined {
  const bare = hostname.replace(/^\[|\]$/g, "");
  return isIP(bare) === 0 ? undefined : bare;
}

/** Only by the name servers: getaddrinfo would block a file thread, and resolves names of this network. */
async function addressesOf(host: string): Promise<string[]> {
  const resolver = new Resolver({ timeout: 2_000, tries: 2 });
  const found = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)]);
  const addresses = found.flatMap((one) => (one.status === "fulfilled" ? one.value : []));
  const failed = found.find((one) => one.status === "rejected");
  if (addresses.length === 0 && failed) throw new WebhookUnreached(NOT_FOUND, { cause: failed.reason });
  return addresses;
}

/** As any program of this machine resolves it, including local names. */
const resolvedLocally = async (host: string) =>
  (await lookup(host, { all: true })).map(({ address }) => address);

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, failed) =>
    signal.addEventListener("abort", () => failed(signal.reason), { once: true }),
  );
}

/** Subscribers get only a class of failure: details would let them explore the network. */
const NOT_FOUND = "the host cannot be resolved";
const NOT_SECURE = /CERT|TLS|SSL|SELF_SIGNED|UNABLE_TO/;

function reasonOf(error: unknown): string {
  const { code = "" } = error as NodeJS.ErrnoException;
  if (code === "ENOTFOUND" || code === "EAI_AGAIN") return NOT_FOUND;
  return NOT_SECURE.test(code) ? "no secure connection: its certificate is not accepted" : "no connection";
}
