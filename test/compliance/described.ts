/** Descriptions of systems with the class that their author gives them. `of`: the provision: a point of Annex III, of Article 5(1), or a paragraph of Article 50. */
export type Described = {
  level: "PROHIBITED" | "HIGH" | "LIMITED" | "MINIMAL" | "UNDETERMINED";
  of?: string;
  text: string;
};

export const high = (of: number, ...texts: string[]): Described[] =>
  texts.map((text) => ({ level: "HIGH", of: String(of), text }));
export const prohibited = (of: string, ...texts: string[]): Described[] =>
  texts.map((text) => ({ level: "PROHIBITED", of, text }));
export const limited = (of: string, ...texts: string[]): Described[] =>
  texts.map((text) => ({ level: "LIMITED", of, text }));
export const plain = (level: "MINIMAL" | "UNDETERMINED", ...texts: string[]): Described[] =>
  texts.map((text) => ({ level, text }));
