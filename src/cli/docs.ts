/** `tallystick docs`: the pages that are generated, of all operations and of all events. */
import { Argument, Command } from "commander";
import { catalogueOf } from "../api/catalogue.ts";
import { operationsPage } from "../api/reference.ts";
import { eventsPage } from "../areas/events-page.ts";
import { areas } from "../areas/index.ts";
import { about } from "./about.ts";

const PAGES = { operations: () => operationsPage(catalogueOf(areas)), events: () => eventsPage(areas) };
type Page = keyof typeof PAGES;

export const docsCommand = () =>
  new Command("docs")
    .description(about.docs)
    .addArgument(new Argument("[page]", "which one").choices(Object.keys(PAGES)).default("operations"))
    .action((page: Page) => void process.stdout.write(PAGES[page]()));
