import type { App } from "../app.ts";
import type { Path } from "./operation.ts";

/** What is served but sold to nobody: health, descriptions, well-known files. Free, unlimited, and no operation. */
export type Document = {
  path: Path;
  type: string;
  /** One sentence for the map of documents. */
  summary: string;
  /** A status other than 200 says that the thing described is not well. */
  render(app: App): Promise<Rendered> | Rendered;
};

/** Headers stand in place of those that every answer has; with an ETag among them, an unchanged document is answered 304. */
export type Rendered = { status?: number; headers?: Record<string, string>; body: string };
