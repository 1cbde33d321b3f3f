/** The content coding of answers (RFC 9110, 8.4 and 12.5.3). */
import type { IncomingMessage } from "node:http";
import compression from "compression";
import type { Request, RequestHandler, Response } from "express";
import Negotiator from "negotiator";
import { coreProblems } from "../../core/model/problem.ts";
import { refuse } from "../../core/model/refusal.ts";

const CODINGS = ["br", "gzip", "deflate", "identity"];

/** Shorter answers gain nothing from a coding. */
const LEAST_BYTES = 1024;

/** A longer Accept-Encoding header is not checked for exclusions; a browser's has about thirty characters. */
const MOST_ACCEPTED = 1_000;

const usual = compression({ threshold: LEAST_BYTES });
/** For callers that refuse an answer without a coding. */
const always = compression({ threshold: 0, filter: () => true });

const nothing = () => undefined;

/** Chooses the answer's coding. Refuses with 406 if the caller accepts none of the available ones. */
export const encoded = ((req, res) => {
  const accepted = req.headers["accept-encoding"];
  if (!accepted) return;
  if (accepted.length > MOST_ACCEPTED || !/;\s*q\s*=\s*0(?![^,]*[1-9])/i.test(accepted))
    return usual(req, res, nothing);
  const codings = new Negotiator(req).encodings(CODINGS);
  if (codings.length === 0)
    refuse(
      coreProblems["not-acceptable"],
      `available: ${CODINGS.join(", ")}, but Accept-Encoding accepts none`,
      {
        errors: [{ path: "Accept-Encoding", message: `available: ${CODINGS.join(", ")}` }],
      },
    );
  return (codings.includes("identity") ? usual : always)(req, res, nothing);
}) satisfies (...of: Parameters<RequestHandler>) => unknown;

type Bytes = { length: number; type: string | undefined; cache_control: string | undefined };

/**
 * True if the answer may state its length. For HEAD, only if GET would surely send as many bytes, because a coding
 * changes them.
 */
export function statesLength(req: IncomingMessage, { length, type, cache_control = "" }: Bytes): boolean {
  if (req.method !== "HEAD" || !req.headers["accept-encoding"] || cache_control.includes("no-transform"))
    return true;
  const codings = new Negotiator(req).encodings(CODINGS);
  if (!codings.some((coding) => coding !== "identity")) return true;
  return codings.includes("identity") && (length < LEAST_BYTES || !isText(req, type));
}

const isText = (req: IncomingMessage, type: string | undefined): boolean =>
  compression.filter(req as Request, { getHeader: () => type } as unknown as Response);
