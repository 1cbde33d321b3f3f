import type { App } from "../../src/core/app.ts";
import { mailSubject } from "../../src/core/model/sealed.ts";

/** Creates acme's customer that the examples erase. */
export async function sealExample(app: App): Promise<void> {
  const place = { tenant: "acme", stream_id: "example", type: "Example" };
  const value = { mail: "anna@example.org" };
  await app.subjects.seal([{ subject: mailSubject("acme", "anna@example.org"), place, value }]);
}
