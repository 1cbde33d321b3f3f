import { PostgreSqlContainer } from "@testcontainers/postgresql";
import { getContainerRuntimeClient } from "testcontainers";
import { describe, test } from "vitest";
import { twoRolesStory } from "../support/two-roles-story.ts";

const engine = await getContainerRuntimeClient().then(
  () => true,
  () => false,
);
if (!engine) console.info("no container engine answers here: the suites on Postgres images are skipped");

describe.skipIf(!engine)("on the official images", () => {
  test.each(["postgres:18", "postgres:15"])(
    "%s serves the application's role, which cannot change the log",
    { timeout: 180_000 },
    async (image) => {
      const container = await new PostgreSqlContainer(image).start();
      try {
        await twoRolesStory(container.getConnectionUri());
      } finally {
        await container.stop();
      }
    },
  );
});
