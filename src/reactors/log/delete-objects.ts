/** Deletes each object at the end of its retention. */
import type { App } from "../../core/app.ts";
import { reactor } from "../../core/background/reactor.ts";
import { ObjectsUnavailable } from "../../core/model/ports/objects.ts";

/** Deleted at a time. */
const PAGE = 500;

export const objectsReactor = reactor({
  name: "objects",
  every_ms: 300_000,
  fault: placeFault,
  memory: () => ({}),
  async take({ app, signal }) {
    while (!signal.aborted && (await app.objects.deletePast(PAGE)) === PAGE);
    return "done";
  },
  failures: { failed: "expired objects are not deleted; trying again" },
  resumed: "expired objects are deleted again",
});

/** Files that can be neither put nor had are noticed at the start, not when the first one is needed. */
function placeFault({ objects }: App): Promise<string | undefined> {
  return objects.check().then(
    () => undefined,
    (error) => {
      if (error instanceof ObjectsUnavailable) return error.message;
      throw error;
    },
  );
}
