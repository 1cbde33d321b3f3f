/** The state of log, data and chain in one line. */
import { el } from "./dom.ts";
import { count, counted, developmentChain } from "./format.ts";

type ReadinessReport = {
  status: string;
  log: { up: boolean; position: number | null; contradiction: string | null };
  chain: { up: boolean; block: number | null };
  datasets: { dataset: string }[];
  missing: string[] | null;
};

const AGAIN_MS = 5_000;

/** Shows the state, and repeats while something is not ready; `onData` is called whenever data are available. */
export async function showState(place: HTMLElement, onData: () => void): Promise<void> {
  // A 503 has the same body.
  const ready = await fetch("/ready")
    .then((response) => response.json() as Promise<ReadinessReport>)
    .catch(() => undefined);
  place.replaceChildren(...(ready ? rowsOf(ready) : [light(false, "The service cannot be reached.")]));
  if (ready && ready.datasets.length > 0) onData();
  if (ready?.status !== "ready") setTimeout(() => void showState(place, onData), AGAIN_MS);
}

function rowsOf({ log, chain, datasets, missing }: ReadinessReport): HTMLElement[] {
  const contradicted = log.contradiction !== null;
  const position = log.position ?? 0;
  const waiting = missing?.length ?? 0;
  const chainName = developmentChain ? "development chain" : "Base";
  return [
    light(
      log.up && !contradicted,
      contradicted ? "the log contradicts its signed heads" : `log of ${counted(position, "event")}`,
    ),
    light(
      waiting === 0 && datasets.length > 0,
      waiting > 0 ? `data is being made (${waiting} to come)` : counted(datasets.length, "dataset"),
    ),
    light(
      chain.up,
      chain.up ? `${chainName} at block ${count(chain.block ?? 0)}` : `${chainName} is unavailable`,
    ),
  ];
}

const light = (isUp: boolean, text: string) => el("span", { class: isUp ? "light up" : "light" }, text);
