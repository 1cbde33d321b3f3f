import Negotiator from "negotiator";
import type { App } from "../../core/app.ts";
import type { Fields } from "../declare/input.ts";
import type { Path } from "../declare/operation.ts";

export type Document = {
  path: Path;
  type: string;
  summary: string;
  /** Served only if Accept names `text/html`, because a program may call the path by mistake. */
  for_browsers?: true;
  /** The document may have a status other than 200: the health report of a failing service, or a redirect. */
  render(app: App, visit: Visit): Promise<RenderedDocument> | RenderedDocument;
};

export type Visit = {
  params: Fields;
  accept: string | undefined;
  /** True if a browser on this machine opened the page, so that no other program or site can read it. */
  is_at_home: boolean;
};

/** The headers replace common ones of the same name. With an ETag, a repeated request gets 304. */
export type RenderedDocument = {
  status?: number;
  type?: string;
  headers?: Record<string, string>;
  body: string | Buffer;
};

/** True if the visitor prefers this media type to a page. */
export const wants = (type: string, accept: string | undefined): boolean =>
  accept !== undefined && new Negotiator({ headers: { accept } }).mediaType(["text/html", type]) === type;
