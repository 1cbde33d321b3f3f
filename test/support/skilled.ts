/** An execution of a skill, as the input of the operation that shows one. */
import type { Service } from "./service.ts";

/** An abandoned one. */
export async function skillExamples(
  { url }: Pick<Service, "url">,
  headers: Record<string, string>,
): Promise<Record<"skills_execution", { execution_id: string }>> {
  const answer = await fetch(`${url}/v1/agent/skills/run`, {
    method: "POST",
    headers: { ...headers, "Content-Type": "application/json" },
    body: JSON.stringify({ agent: "tracker", task: "What was unusual?", wait_s: 0 }),
  });
  const { data } = (await answer.json()) as { data: { execution_id: string } };
  return { skills_execution: { execution_id: data.execution_id } };
}
