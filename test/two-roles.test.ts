import { expect, test } from "vitest";
import { freshDatabase } from "./support/database.ts";
import { startService } from "./support/service.ts";
import { twoRolesStory } from "./support/two-roles-story.ts";

test("the application's role can append and read, and alter nothing", async () => {
  const database = await freshDatabase();
  await twoRolesStory(database.url);
  await database.drop();
});

test("one role for both is said at the start", async () => {
  const service = await startService();
  expect(service.logged.some(({ msg }) => String(msg).includes("could alter the log"))).toBe(true);
  await service.stop();
});
