/** `tallystick docs`: the generated page of all operations. */
import { Command } from "commander";
import { catalogueOf } from "../api/catalogue.ts";
import { operationsPage } from "../api/reference.ts";
import { areas } from "../areas/index.ts";

export const docsCommand = () =>
  new Command("docs")
    .description("print docs/operations.md")
    .action(() => void process.stdout.write(operationsPage(catalogueOf(areas))));
