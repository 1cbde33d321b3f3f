import type { App } from "../../core/app.ts";
import type { Fields } from "../declare/input.ts";
import type { Path } from "../declare/operation.ts";

/** What is served but sold to nobody: health, descriptions, well-known files. Free, unlimited, and no operation. */
export type Document = {
  /** Parameters in it are the visit's `params`. */
  path: Path;
  type: string;
  /** One sentence for the map of documents. */
  summary: string;
  /** At a path that programs may come to by mistake: given to who names `text/html` in Accept, and to nobody else. */
  for_browsers?: true;
  /** A status other than 200 says that the thing described is not well, or stands elsewhere. */
  render(app: App, visit: Visit): Promise<Rendered> | Rendered;
};

/** Who looks at a document, and how. */
export type Visit = {
  params: Fields;
  accept: string | undefined;
  /** A browser at this machine opened it, to be looked at: no other program and no other site reads what it is shown. */
  is_at_home: boolean;
};

/** Headers stand in place of those that every answer has; with an ETag among them, an unchanged document is answered 304. */
export type Rendered = {
  status?: number;
  /** Where it is not the document's own. */
  type?: string;
  headers?: Record<string, string>;
  body: string;
};
