// Writes each request of a program to the file FETCHES, a line each; loaded before the program by --import.
import { appendFileSync } from "node:fs";

const { fetch } = globalThis;
globalThis.fetch = (input, init) => {
  const { pathname } = new URL(typeof input === "object" && "url" in input ? input.url : input);
  appendFileSync(process.env.FETCHES, `${init?.method ?? input.method ?? "GET"} ${pathname}\n`);
  return fetch(input, init);
};
