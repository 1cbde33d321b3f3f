import { Command } from "commander";
import { type Terminal, withRuntime } from "./terminal.ts";

export function importSalesCommand(terminal: Terminal): Command {
  return new Command("import-sales")
    .description("import sales from before the log, for the forecast")
    .argument(
      "<csv>",
      "product_slug,month,quantity: base units by month, such as granulas-premium,2025-11,820",
    )
    .addHelpText(
      "after",
      "\nThe file is the whole table: rows missing from it are removed. A month in both the file and the log counts\n" +
        "as the sum, so leave out orders made here. Incomplete months are not read yet.",
    )
    .action(async (path: string) => {
      const { DATA_DIR } = terminal.settings();
      const { facts, unchanged, unlisted } = await withRuntime(terminal, async ({ app }) => {
        const { importSales } = await import("../operator/shop-sales.ts");
        return importSales(app, DATA_DIR, path);
      });
      const state = unchanged ? "already current" : "released";
      print(
        `${facts.dataset} ${state}: vintage ${facts.vintage.slice(0, 16)}, ${facts.rows} rows, to ${facts.as_of}`,
      );
      if (unlisted.length > 0) print(`Not listed as products, so not forecast yet: ${unlisted.join(", ")}`);
    });
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}
