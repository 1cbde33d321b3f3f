/** Whether a text is TypeScript: it is parsed by a compiler that is handed the text alone, without files, and what it writes is dropped. */
import type { Parse } from "../../../domain/evolution/checks.ts";

export const parseTypeScript: Parse = async (text) => {
  // Loaded where it is asked for: few processes ever are.
  const { transform } = await import("esbuild");
  try {
    await transform(text, { loader: "ts", format: "esm", logLevel: "silent", sourcemap: false });
    return undefined;
  } catch (error) {
    const [first] =
      (error as { errors?: { location: { line: number; column: number } | null }[] }).errors ?? [];
    if (first === undefined) throw error;
    return { line: first.location?.line ?? 1, column: first.location?.column ?? 0 };
  }
};
