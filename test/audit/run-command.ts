/** Runs a command in this process, like src/main.ts. */
import pino from "pino";
import { expect, vi } from "vitest";
import { program } from "../../src/cli/program.ts";
import { Refusal } from "../../src/core/model/refusal.ts";
import { patientConfig } from "../support/patience.ts";

/** Its exit code and output. */
export async function run(
  args: string[],
  settings: Record<string, string>,
): Promise<{ code: number; said: string }> {
  const said: string[] = [];
  const write = (text: unknown) => said.push(String(text)) > 0;
  const spies = [process.stdout, process.stderr].map((stream) =>
    vi.spyOn(stream, "write").mockImplementation(write),
  );
  const terminal = { settings: () => patientConfig(settings), logger: () => pino({ enabled: false }) };
  try {
    await (await program(terminal, args[0])).parseAsync(args, { from: "user" });
    return { code: Number(process.exitCode ?? 0), said: said.join("") };
  } catch (error) {
    expect(error).toBeInstanceOf(Refusal);
    return { code: 1, said: said.join("") + (error as Error).message };
  } finally {
    for (const spy of spies) spy.mockRestore();
    process.exitCode = undefined;
  }
}
