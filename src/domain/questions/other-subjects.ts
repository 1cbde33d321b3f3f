/** Questions about something that no intent answers, with the operation that does, if there is one. */
import { refuseWith } from "../../core/model/refusal.ts";
import otherSubjects from "./data/other-subjects.json" with { type: "json" };

/** `text` is in folded words. */
export function refuseOtherSubject(text: string, field: string): void {
  const words = ` ${text} `;
  for (const { subject, remedy, stems, patterns = [] } of otherSubjects.rows) {
    const said =
      stems.find((stem) => words.includes(` ${stem}`)) ??
      patterns.map((pattern) => new RegExp(pattern).exec(words)?.[0]).find((found) => found !== undefined);
    if (said !== undefined)
      refuseWith(field, `no intent answers this: “${said.trim()}” asks for ${subject}; ${remedy}`);
  }
}
