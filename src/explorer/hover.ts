/** Figures on hover: a picture carries them as data, and the pointer's place chooses among them. */
import { el } from "./dom.ts";
import { type Figures, figuresInSvg } from "./figures.ts";

const numbers = new Intl.NumberFormat("en", { maximumSignificantDigits: 6 });

/** Shows the figures under the pointer over a picture or its canvas, the child of `.picture`. */
export function showFiguresOn(picture: HTMLElement, figures: Figures | undefined): void {
  const frame = picture.closest<HTMLElement>(".picture");
  if (!figures || !frame) return;
  const rule = el("div", { class: "hover-rule", "aria-hidden": "true", hidden: true });
  const box = el("div", { class: "hover-box", "aria-hidden": "true", hidden: true });
  frame.classList.add("hovered");
  frame.append(rule, box);
  const hide = () => {
    rule.hidden = true;
    box.hidden = true;
  };
  const show = (event: PointerEvent) => {
    const { left, width } = picture.getBoundingClientRect();
    const scale = width / figures.width;
    const place = nearest(figures.at, (event.clientX - left) / scale);
    const from = figures.at[place]! * scale + picture.offsetLeft;
    box.replaceChildren(
      el("strong", {}, figures.x[place]!),
      ...figures.series.flatMap((one) => lineOf(one, place)),
    );
    rule.style.left = `${from}px`;
    box.style.left = `${from}px`;
    box.classList.toggle("leftwards", from > width / 2);
    rule.hidden = false;
    box.hidden = false;
  };
  picture.addEventListener("pointermove", show);
  picture.addEventListener("pointerdown", show);
  picture.addEventListener("pointerleave", hide);
}

function lineOf({ name, unit, values }: Figures["series"][number], place: number): HTMLElement[] {
  const value = values[place];
  if (value === null || value === undefined) return [];
  return [el("span", {}, `${name}: ${numbers.format(value)} ${unit}`.trim())];
}

const nearest = (places: readonly number[], wanted: number): number =>
  places.reduce(
    (best, place, at) => (Math.abs(place - wanted) < Math.abs(places[best]! - wanted) ? at : best),
    0,
  );

/** The same for an SVG with an address of its own, which the browser has loaded already. */
export async function showFiguresOf(image: HTMLImageElement): Promise<void> {
  const response = await fetch(image.currentSrc || image.src, {
    headers: { Accept: "image/svg+xml" },
    cache: "force-cache",
  });
  if (response.ok) showFiguresOn(image, figuresInSvg(await response.text()));
}

/** A picture for this screen: on a phone its parts stand one below the other. */
export const pictureWidth = (): number | undefined =>
  matchMedia("(max-width: 30rem)").matches ? Math.max(320, Math.round(innerWidth)) : undefined;
