/** A ranking: the chart, and its rows open below it. */
import { openView } from "./host.ts";
import { figures, heading, picture, source, warning } from "./parts.ts";

openView("ranking", (result) => [
  heading(result, "A ranking"),
  ...warning(result),
  ...picture(result),
  ...figures(result, true),
  ...source(result),
]);
