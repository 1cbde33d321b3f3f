/** What the pages at / and /docs do: how the service stands, copying, and searching. */
import { fillCopyButtons } from "./copying.ts";
import { openSearch } from "./search.ts";
import { showState } from "./state.ts";

fillCopyButtons();
const state = document.querySelector<HTMLElement>("#state");
if (state) void showState(state);
if (document.querySelector("#search")) openSearch();

// A picture that cannot be drawn, because its data is still being made, is not shown as a broken one.
const chart = document.querySelector<HTMLImageElement>("#chart");
const hide = () => chart?.closest("section")?.setAttribute("hidden", "");
chart?.addEventListener("error", hide);
if (chart?.complete && chart.naturalWidth === 0) hide();
