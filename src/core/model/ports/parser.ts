export type Fault = { line: number; column: number } | "endless";

export type Parse = (text: string) => Promise<Fault | undefined>;

export type Parser = {
  /** Refuses `unavailable` when too many wait, or the parser fails. */
  typescript: Parse;
};
