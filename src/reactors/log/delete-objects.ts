/** Whenever an object has been kept for as long as whoever put it said, it is deleted. */
import { reactor } from "../../reactor.ts";

/** Deleted at a time. */
const PAGE = 500;

export const objectsReactor = reactor({
  name: "objects",
  every_ms: 60_000,
  memory: () => ({}),
  async take({ app, signal }) {
    while (!signal.aborted && (await app.objects.deletePast(PAGE)) === PAGE);
    return "done";
  },
  troubles: { failed: "objects that are past their time are not deleted; trying again" },
  resumed: "objects that are past their time are deleted again",
});
