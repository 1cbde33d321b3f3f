import Negotiator from "negotiator";
import type { App } from "../../core/app.ts";
import type { Fields } from "../declare/input.ts";
import type { Path } from "../declare/operation.ts";

export type Document = {
  path: Path;
  type: string;
  summary: string;
  /** Served only where Accept names `text/html`: programs may call the path by mistake. */
  for_browsers?: true;
  /** May answer with a status other than 200: unhealthy, or a redirect. */
  render(app: App, visit: Visit): Promise<RenderedDocument> | RenderedDocument;
};

export type Visit = {
  params: Fields;
  accept: string | undefined;
  /** A browser on this machine navigated here, so no other program or site reads the page. */
  is_at_home: boolean;
};

/** Headers override the common ones; an ETag enables 304. */
export type RenderedDocument = {
  status?: number;
  type?: string;
  headers?: Record<string, string>;
  body: string | Buffer;
};

/** True if a visitor prefers a media type to a page. */
export const wants = (type: string, accept: string | undefined): boolean =>
  accept !== undefined && new Negotiator({ headers: { accept } }).mediaType(["text/html", type]) === type;
