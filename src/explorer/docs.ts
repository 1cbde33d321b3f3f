/** The pages at / and /docs: service state, chart, copying and search. */
import { openChart } from "./chart.ts";
import { fillCopyButtons } from "./copying.ts";
import { openSearch } from "./search.ts";
import { showState } from "./state.ts";

fillCopyButtons();
const image = document.querySelector<HTMLImageElement>("#chart");
const chart = image && openChart(image);
const state = document.querySelector<HTMLElement>("#state");
// The page is complete without the chart.
if (state) void showState(state, () => void chart?.renew().catch(() => undefined));
if (document.querySelector("#search")) openSearch();
