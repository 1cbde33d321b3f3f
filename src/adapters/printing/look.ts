import { NARROW, USUAL_WIDTH } from "../../core/model/chart.ts";

/** In pixels; `is_narrow`: as on a phone, where parts stand one below the other. */
export type Size = { width: number; height: number; is_narrow: boolean };

const HEIGHT_OF_USUAL = 500;
const HEIGHT_OF_NARROW = 420;

export const sizeOf = (width: number = USUAL_WIDTH): Size => {
  const is_narrow = width < NARROW;
  const usual = Math.round((width * HEIGHT_OF_USUAL) / USUAL_WIDTH);
  return { width, height: is_narrow ? HEIGHT_OF_NARROW : usual, is_narrow };
};

export const USUAL = sizeOf();
export const MARGIN = 24;
export const FONT = "DejaVu Sans";

/**
 * Okabe and Ito's colours, distinguishable with any colour vision. Their yellow is left out: it is too light on
 * white.
 */
export const COLOURS = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000"];
export const PALE = "#c9ced6";
export const INK = "#1f2430";
export const MUTED = "#5b6270";
export const GRID = "#e3e6eb";
export const WARNING = "#b00020";
