/** The chart on the first page: shown once drawn, and requested again when its data are available. */
import { ask } from "./ask.ts";
import { showFiguresOf } from "./hover.ts";

/** The fields in use of the JSON at /. */
type About = { chart: { about: string } | null };

/** Hides a missing picture; `renew` requests it again. */
export function openChart(image: HTMLImageElement): { renew(): Promise<void> } {
  const section = image.closest("section");
  let isShown = false;
  const show = () => {
    section?.toggleAttribute("hidden", image.naturalWidth === 0);
    if (image.naturalWidth === 0 || isShown) return;
    isShown = true;
    // The picture is complete without its figures.
    void showFiguresOf(image).catch(() => undefined);
  };
  image.addEventListener("load", show);
  image.addEventListener("error", show);
  if (image.complete) show();
  const settled = () =>
    image.complete ||
    new Promise((done) => {
      image.addEventListener("load", done, { once: true });
      image.addEventListener("error", done, { once: true });
    });
  return {
    async renew() {
      await settled();
      if (image.naturalWidth > 0) return;
      const { chart } = await ask<About>("/");
      if (!chart) return;
      image.alt = chart.about;
      image.src = "/chart.svg";
    },
  };
}
