/** `width`: the width of an answer's picture in pixels, for small screens and large. */
import { z } from "zod";
import { LEAST_WIDTH, MOST_WIDTH, USUAL_WIDTH } from "../../core/model/chart.ts";

const RANGE = `is a whole number from ${LEAST_WIDTH} to ${MOST_WIDTH}`;

export const widthField = z
  .int(RANGE)
  .min(LEAST_WIDTH, `is at least ${LEAST_WIDTH}`)
  .max(MOST_WIDTH, `is at most ${MOST_WIDTH}`)
  .optional()
  .describe(
    `Width of the picture in pixels, such as 375 for a phone; only for PNG and SVG. Default: ${USUAL_WIDTH}`,
  );

export const widthIn = (input: object): number | undefined => (input as { width?: number }).width;
