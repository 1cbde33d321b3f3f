/** The demo's layout: numbered steps, in colour where a terminal shows it (NO_COLOR is respected). */
import { styleText } from "node:util";
import { printable } from "../../eventstore/verify/report.ts";
import type { Finding } from "./demo-proof.ts";

const LABEL = 13;
/** The shown part of an answer: lines, and characters per line. */
const SHOWN = { lines: 6, width: 140 };

const write = (text: string) => void process.stdout.write(`${text}\n`);

/** Each prints a line or two; control characters from a service cannot steer the terminal. */
export const tell = {
  title: (title: string) => write(`\n${styleText("bold", title)}`),
  step: (n: number, title: string, how: string) => {
    const number = styleText("bold", styleText("cyan", String(n)));
    write(`\n${number}  ${styleText("bold", title)}  ${styleText("dim", printable(how))}`);
  },
  line: (label: string, text: string) => {
    write(`   ${styleText("cyan", label.padEnd(LABEL))}${printable(text)}`);
  },
  finding: ({ ok, says }: Finding) => {
    const mark = ok ? styleText("green", "ok  ") : styleText("bold", styleText("red", "FAIL"));
    write(`   ${"".padEnd(LABEL)}${mark} ${printable(says)}`);
  },
  /** The first lines of a JSON answer's data, or of a feed. */
  answer: (body: string) => {
    const lines = linesOf(body);
    for (const line of lines.slice(0, SHOWN.lines)) {
      const cut = line.length > SHOWN.width ? `${line.slice(0, SHOWN.width)}…` : line;
      write(`   ${"".padEnd(LABEL)}${styleText("yellow", printable(cut))}`);
    }
    if (lines.length > SHOWN.lines) tell.line("", `and ${lines.length - SHOWN.lines} more lines`);
  },
  end: (text: string) => write(`\n${styleText("bold", styleText("green", text))}\n`),
};

function linesOf(body: string): string[] {
  try {
    const { data, meta } = JSON.parse(body) as {
      data: unknown;
      meta?: { dataset?: string; synthetic?: boolean };
    };
    const lines = (Array.isArray(data) ? data : [data]).map((one) => JSON.stringify(one));
    const { dataset, synthetic } = meta ?? {};
    return dataset === undefined ? lines : [...lines, JSON.stringify({ dataset, synthetic })];
  } catch {
    return body.trim().split("\n");
  }
}
