/** The chart on the first page: seen once it is drawn, and asked for again when the data that it is made of are there. */
import { ask } from "./ask.ts";

/** What / says to programs, as far as it is looked at here. */
type About = { chart: { about: string } | null };

/** Hides what cannot be drawn, in place of a broken picture; `renew` asks for one that is not there. */
export function openChart(image: HTMLImageElement): { renew(): Promise<void> } {
  const section = image.closest("section");
  const show = () => section?.toggleAttribute("hidden", image.naturalWidth === 0);
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
