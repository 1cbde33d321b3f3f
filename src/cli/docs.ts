/** `tallystick docs`: generates the pages of all operations, events and settings. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { Argument, Command } from "commander";
import { catalogueOf } from "../api/declare/catalogue.ts";
import { PACKAGE } from "../api/describe/explorer.ts";
import { operationsPage } from "../api/describe/reference.ts";
import { eventsPage } from "../areas/events-page.ts";
import { areas } from "../areas/index.ts";
import { about } from "./about.ts";
import { settingsPage } from "./settings-page.ts";

const PAGES = {
  operations: () => operationsPage(catalogueOf(areas)),
  events: () => eventsPage(areas),
  settings: async () => settingsPage(await settingsExample()),
};
type Page = keyof typeof PAGES;

const settingsExample = () =>
  readFile(join(PACKAGE, ".env.example"), "utf8").catch((error) => {
    throw new Error(`cannot read .env.example (${error.code}): run this in a clone of the repository`);
  });

export const docsCommand = () =>
  new Command("docs")
    .description(about.docs)
    .addArgument(new Argument("[page]", "which one").choices(Object.keys(PAGES)).default("operations"))
    .action(async (page: Page) => void process.stdout.write(await PAGES[page]()));
