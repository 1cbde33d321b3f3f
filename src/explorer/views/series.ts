/** A series over time: the chart, its figures under the pointer, and the rows. */
import { openView } from "./host.ts";
import { figures, heading, picture, source, warning } from "./parts.ts";

openView("series", (result) => [
  heading(result, "A series"),
  ...warning(result),
  ...picture(result),
  ...figures(result, false),
  ...source(result),
]);
