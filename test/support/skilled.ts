/** Executions of skills, as inputs of the operations that show and cancel one. */
import type { Service } from "./service.ts";
import { until } from "./until.ts";

/** An abandoned one, and a cancelled one that may be cancelled again. */
export async function skillExamples(
  { url }: Pick<Service, "url">,
  headers: Record<string, string>,
): Promise<Record<"skills_execution" | "skills_cancel", { execution_id: string }>> {
  const left = async () => {
    const answer = await fetch(`${url}/v1/agent/skills/run`, {
      method: "POST",
      headers: { ...headers, "Content-Type": "application/json" },
      body: JSON.stringify({ agent: "tracker", task: "What was unusual?", wait_s: 0 }),
    });
    const { data } = (await answer.json()) as { data: { execution_id: string } };
    return { execution_id: data.execution_id };
  };
  // A worker may have been faster.
  const cancelled = await until(async () => {
    const { execution_id } = await left();
    const path = `${url}/v1/agent/skills/executions/${execution_id}`;
    return (await fetch(path, { method: "DELETE", headers })).ok && { execution_id };
  });
  return { skills_execution: await left(), skills_cancel: cancelled };
}
