/**
 * The chart of a reconstruction: its months as a line with a band around it, dashed where a report is missing. The
 * band's width reflects the confidence: from value ÷ e^(1 − confidence) to value × e^(1 − confidence), because
 * reliability is 1 less the usual log distance of two ends. A single month is a bar.
 */
import type { z } from "zod";
import type { Chart } from "../../../core/model/chart.ts";
import { monthText } from "../../../domain/trade/units.ts";
import { basisNotes, codeMarks } from "../../trade/answers/forms/lines.ts";
import type { reconstructOutput } from "./answer.ts";

export function reconstructChart({ data, meta }: z.infer<typeof reconstructOutput>): Chart {
  const { target, direction, product, scope, notes, parameters } = meta;
  const flow = direction === "IMPORT" ? "imports from" : "exports to";
  const isLine = data.length > 1;
  const x = data.map(({ year, month }) => monthText(year * 100 + month));
  const banded = data.filter(({ confidence }) => confidence !== null);
  return {
    kind: isLine ? "line" : "bar",
    title: `${target.name}: ${flow} the EU27 of ${product}, reconstructed`,
    x,
    series: [
      {
        name: flow,
        values: data.map(({ value_eur }) => value_eur),
        provisional: data.map(({ complete }) => !complete),
        ...(isLine && { band: data.map(bandOf) }),
      },
    ],
    unit: "EUR",
    ...(isLine && { marks: codeMarks(meta.codes, x) }),
    notes: [
      ...basisNotes(meta.codes, product),
      confidenceText(
        banded.map(({ confidence }) => confidence!),
        isLine,
      ),
      scope,
      `Freight and insurance: ${parameters.cif_fob * 100} %.`,
      ...notes,
    ],
  };
}

type Month = z.infer<typeof reconstructOutput>["data"][number];

function bandOf({ value_eur, confidence }: Month) {
  if (confidence === null) return null;
  const factor = Math.exp(1 - confidence);
  return { low: value_eur / factor, high: value_eur * factor };
}

function confidenceText(known: number[], isLine: boolean): string {
  if (known.length === 0) return "Confidence: unknown.";
  const [least, most] = [Math.min(...known), Math.max(...known)].map((one) => one.toFixed(2));
  const range = least === most ? least : `${least} to ${most}`;
  return isLine ? `Band: the figure ×÷ e^(1 − confidence); confidence ${range}.` : `Confidence: ${range}.`;
}
