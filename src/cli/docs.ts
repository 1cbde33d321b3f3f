/** `tallystick docs`: generates the pages of all operations, events, settings and commands. */
import { readFile, rename, writeFile } from "node:fs/promises";
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
    .addArgument(new Argument("[page]", "the page").choices(NAMES).default("operations"))
    .option("--into <folder>", "write all four pages there instead")
    .action(async (page: Page, { into }: { into?: string }) => {
      const made = pages(commands);
      if (into === undefined) return void process.stdout.write(await made[page]());
      for (const name of NAMES) await replaceFile(join(into, `${name}.md`), await made[name]());
    });

/** A write that is cut off leaves the old page. */
async function replaceFile(path: string, text: string): Promise<void> {
  await writeFile(`${path}.part`, text);
  await rename(`${path}.part`, path);
}
