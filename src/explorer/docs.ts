/** What the pages at / and /docs do: how the service stands, the chart, copying, and searching. */
import { openChart } from "./chart.ts";
import { fillCopyButtons } from "./copying.ts";
import { openSearch } from "./search.ts";
import { showState } from "./state.ts";

fillCopyButtons();
const image = document.querySelector<HTMLImageElement>("#chart");
const chart = image && openChart(image);
const state = document.querySelector<HTMLElement>("#state");
// Without the chart the page says all that it has to.
if (state) void showState(state, () => void chart?.renew().catch(() => undefined));
if (document.querySelector("#search")) openSearch();
