export const WIDTH = 900;
export const HEIGHT = 500;
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
