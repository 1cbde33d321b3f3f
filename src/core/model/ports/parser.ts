/** The place of the first error of syntax, or that a parser took more than it is given. */
export type Fault = { line: number; column: number } | "endless";

/** The first fault of a text as TypeScript. */
export type Parse = (text: string) => Promise<Fault | undefined>;

/** Parses texts of strangers, which are never run. */
export type Parser = {
  /** What is wrong with a text as TypeScript. Refuses `unavailable` when too many wait, or nothing can be said of it now. */
  typescript: Parse;
};
