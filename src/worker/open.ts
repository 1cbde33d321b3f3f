/** Assembles a worker: its calls, its agent, and the sandboxes that the service's own checks use. */
import { processExecutor } from "../adapters/executor.ts";
import { type AgentChoice, openAgent } from "./agent.ts";
import { callsTo } from "./calls.ts";
import { type NodeOffer, type WorkerReport, work } from "./worker.ts";

export type WorkerSettings = AgentChoice & {
  url: string;
  offer: NodeOffer;
  tell: (report: WorkerReport) => void;
};

/** Works until `stopping` aborts and all begun work has ended. */
export async function openWorker(settings: WorkerSettings, stopping: AbortSignal): Promise<void> {
  const { url, offer, tell } = settings;
  const calls = callsTo(url, (reason) => tell({ event: "away", reason }));
  const agent = await openAgent(calls, settings);
  await work({ calls, agent, executor: processExecutor(), offer, tell }, stopping);
}
