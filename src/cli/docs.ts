/** `tallystick docs`: generates the pages of all operations, events, settings and commands. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { Argument, Command } from "commander";
import { catalogueOf } from "../api/declare/catalogue.ts";
import { PACKAGE } from "../api/describe/explorer.ts";
import { operationsPage } from "../api/describe/reference.ts";
import { eventsPage } from "../areas/events-page.ts";
import { areas } from "../areas/index.ts";
import { about } from "./about.ts";
import { commandsPage } from "./commands-page.ts";
import { settingsPage } from "./settings-page.ts";

const pages = (commands: () => Promise<readonly Command[]>) => ({
  operations: () => operationsPage(catalogueOf(areas)),
  events: () => eventsPage(areas),
  settings: async () => settingsPage(await settingsExample()),
  "command-line": async () => commandsPage(await commands()),
});
type Page = keyof ReturnType<typeof pages>;
const NAMES: readonly Page[] = ["operations", "events", "settings", "command-line"];

const settingsExample = () =>
  readFile(join(PACKAGE, ".env.example"), "utf8").catch((error) => {
    throw new Error(`cannot read .env.example (${error.code}): run this in a clone of the repository`);
  });

export const docsCommand = (commands: () => Promise<readonly Command[]>) =>
  new Command("docs")
    .description(about.docs)
    .addArgument(new Argument("[page]", "which one").choices(NAMES).default("operations"))
    .action(async (page: Page) => void process.stdout.write(await pages(commands)[page]()));
