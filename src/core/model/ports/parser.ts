type TextPosition = { line: number; column: number };

export type Fault = TextPosition | "endless";

export type Parser = {
  /** Refuses with `unavailable` if too many calls wait or the parser fails. */
  typescript(text: string): Promise<Fault | undefined>;
  json(text: string): TextPosition | undefined;
};
