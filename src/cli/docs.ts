/** `tallystick docs`: the generated page of all operations. */
import { Command } from "commander";
import { catalogue } from "../api/catalogue.ts";
import { operationsPage } from "../api/reference.ts";

export const docsCommand = () =>
  new Command("docs")
    .description("print docs/operations.md")
    .action(() => void process.stdout.write(operationsPage(catalogue)));
