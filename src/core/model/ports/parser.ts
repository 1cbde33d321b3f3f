type Place = { line: number; column: number };

export type Fault = Place | "endless";

export type Parser = {
  /** Refuses `unavailable` when too many wait, or the parser fails. */
  typescript(text: string): Promise<Fault | undefined>;
  json(text: string): Place | undefined;
};
