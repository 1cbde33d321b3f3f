/** `tallystick docs`: the generated page of all operations. */

import { Command } from "commander";
import { catalogueOf } from "../api/catalogue.ts";
import { operationsPage } from "../api/reference.ts";
import { areas } from "../areas/index.ts";
import { about } from "./about.ts";

export const docsCommand = () =>
  new Command("docs")
    .description(about.docs)
    .action(() => void process.stdout.write(operationsPage(catalogueOf(areas))));
