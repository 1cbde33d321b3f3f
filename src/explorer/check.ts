/** Runs a check in a worker and shows its result: a sentence, the steps in green and red, and the assumptions. */
import { reasonOf } from "./ask.ts";
import { el } from "./dom.ts";
import { copied, count, counted } from "./format.ts";
import { needHashing } from "./hashing.ts";
import type { Verdict } from "./verifier.js";
import type { Report, Task, WorkerMessage } from "./worker.ts";

export const QUESTIONS: Record<string, string> = {
  format: "Can every line be read?",
  canonical: "Is the text in canonical form?",
  chain: "Is every event as it was written, in its stream?",
  order: "Does the log's hash chain prove this order?",
  commits: "Is every command's commit whole?",
  tree: "Do the events lead to the signed roots?",
  signature: "Did the log's key sign them?",
  anchor: "Does the blockchain have these roots?",
  completeness: "Is nothing missing?",
};

export type Check = {
  /** Runs a check and drops the previous one; `subject` begins sentences: "The pack". */
  run(subject: string, task: Promise<Task>): void;
};

/** Shows a check's progress and verdicts in `place`. */
export function openCheck(place: HTMLElement): Check {
  const bar = el("progress", { max: "1", "aria-label": "Read so far" });
  const done = el("span", {});
  const stop = el("button", { type: "button" }, "Stop");
  const progress = el("div", { class: "progress" }, bar, done, stop);
  const verdict = el("div", { class: "verdict", role: "status", "aria-live": "assertive" });
  const findings = el("div", {});
  place.append(progress, verdict, findings);
  progress.hidden = true;
  let worker: Worker | undefined;
  let turn = 0;

  const say = (state: "good" | "bad" | "", ...text: (Node | string)[]) => {
    verdict.className = `verdict ${state}`;
    verdict.replaceChildren(...text);
  };
  const end = () => {
    worker?.terminate();
    worker = undefined;
    progress.hidden = true;
  };
  stop.addEventListener("click", () => {
    turn++;
    end();
    say("", "Stopped: nothing was established.");
  });

  const begin = async (subject: string, wanted: Promise<Task>) => {
    const mine = ++turn;
    end();
    findings.replaceChildren();
    say("", "Checking…");
    bar.removeAttribute("value");
    done.textContent = "";
    progress.hidden = false;
    try {
      const task = await wanted;
      if (mine !== turn) return;
      needHashing("verifier.js");
      worker = new Worker("/log/worker.js", { type: "module" });
      const report = await resultOf(worker, task, ({ progress: part, events }) => {
        bar.value = part;
        done.textContent = counted(events, "event");
      });
      if (mine !== turn) return;
      if ("head" in report && !report.head) {
        const [{ reason }] = report.verdicts as [Verdict];
        say(
          "bad",
          el("strong", {}, `${subject} is not an export of a log: nothing was checked. `),
          reason ?? "",
        );
        end();
        return;
      }
      const isBare = ["signature", "anchor"].every((name) => isIdleOf(report, name));
      say(!report.ok ? "bad" : isBare ? "" : "good", el("strong", {}, summary(subject, report)));
      findings.replaceChildren(...findingsOf(task, report));
      verdict.scrollIntoView({ block: "nearest" });
    } catch (error) {
      if (mine !== turn) return;
      say("bad", el("strong", {}, `${subject} could not be checked. `), reasonOf(error));
    }
    end();
  };
  return { run: (subject, task) => void begin(subject, task) };
}

/** Sends a task to a worker and waits for its report. */
function resultOf(
  worker: Worker,
  task: Task,
  onProgress: (news: Extract<WorkerMessage, { progress: number }>) => void,
): Promise<Report> {
  return new Promise((done, fail) => {
    worker.addEventListener("message", ({ data }: MessageEvent<WorkerMessage>) => {
      if ("report" in data) done(data.report);
      else if ("failed" in data) fail(new Error(data.failed));
      else onProgress(data);
    });
    worker.addEventListener("error", () => fail(new Error("The verifier could not be loaded; try again.")));
    worker.postMessage(task);
  });
}

function summary(subject: string, report: Report): string {
  const bad = report.verdicts.filter(({ ok, judged }) => !ok && judged !== false);
  const read = "events" in report ? `${counted(report.events, "event")}, ` : "";
  const idle = report.verdicts.filter(isIdle);
  const passed = `${count(report.verdicts.length - idle.length)} checks passed`;
  if (report.ok)
    return `${subject} holds: ${[read + passed, ...idle.map(({ detail }) => detail)].join(", ")}.`;
  const first = bad.flatMap(({ first_bad }) => first_bad ?? []).sort((a, b) => a - b)[0];
  const place = first === undefined ? "" : `, first at ${count(first)}`;
  return `${subject} does not hold: ${bad.map(({ name }) => name).join(", ")} failed${place}.`;
}

/** Nothing was checked, which is neither a failure nor a proof. */
const isIdle = ({ ok, detail }: Verdict) => ok && detail.startsWith("nothing is ");

const isIdleOf = ({ verdicts }: Report, name: string) =>
  verdicts.some((verdict) => verdict.name === name && isIdle(verdict));

function findingsOf(task: Task, report: Report): Node[] {
  const pending = "proof" in task && task.proof.pending;
  const waiting = pending ? [el("p", { class: "pending" }, `Not proven yet: ${pending.detail}.`)] : [];
  const steps = el("ol", { class: "steps" }, ...report.verdicts.map(step));
  const trust = el(
    "section",
    { class: "trust" },
    el("h4", {}, "Taken on trust"),
    list(trusted(task, report)),
  );
  if (!("head" in report) || !report.head || !report.ok) return [...waiting, steps, trust];
  const { position, hash } = report.head;
  const keep = el(
    "p",
    { class: "keep" },
    "Store this head: it reveals a later pack that was cut or rewritten. ",
    copied(`${position}:${hash}`, "the head"),
  );
  return [steps, trust, keep];
}

const outcomeOf = (verdict: Verdict) =>
  isIdle(verdict)
    ? "nothing to check"
    : verdict.judged === false
      ? "not judged"
      : verdict.ok
        ? "holds"
        : "fails";

const step = ({ name, ok, detail, judged, first_bad, reason }: Verdict) =>
  el(
    "li",
    { class: isIdle({ name, ok, detail }) || judged === false ? "idle" : ok ? "good" : "bad" },
    el(
      "div",
      { class: "question" },
      el("strong", {}, name),
      el("span", { class: "soft" }, QUESTIONS[name] ?? ""),
      el("span", { class: "outcome" }, outcomeOf({ name, ok, detail, judged })),
    ),
    el("p", {}, detail),
    ...(ok || judged === false
      ? []
      : [
          el(
            "p",
            { class: "reason" },
            [first_bad !== undefined && `First at ${count(first_bad)}`, reason].filter(Boolean).join(": "),
          ),
        ]),
  );

const list = (sentences: string[]) => el("ul", {}, ...sentences.map((sentence) => el("li", {}, sentence)));

/** The assumptions that no check in this page can prove, given the visitor's input. */
function trusted(task: Task, report: Report): string[] {
  const { key, heads = [], checkpoints = [] } = task.options;
  const isPack = "pack" in task;
  const found: string[] = [];
  if (isIdleOf(report, "signature") && isIdleOf(report, "anchor") && heads.length + checkpoints.length === 0)
    found.push("All of it: nothing signs or anchors this pack, so anybody could have written it.");
  if (!key && !isIdleOf(report, "signature"))
    found.push(
      `The key: the one that came with the ${isPack ? "pack" : "answer"} was trusted. Give your own, and a signature by another key fails.`,
    );
  if (!isPack && task.proof.event.payload === undefined)
    found.push("The event's content: it is not public, so its hash was taken as stated.");
  if (isPack ? !isIdleOf(report, "anchor") : task.proof.anchor) {
    if (!task.options.contract || !task.options.signer)
      found.push(
        `The contract and its signer: those of the ${isPack ? "pack" : "answer"} were trusted. Give your own.`,
      );
    found.push(
      "The block: only a node of the chain can confirm that an anchor's block belongs to it and is final. The verdict names the block; tallystick verify --rpc asks a node.",
    );
  }
  if (isPack && heads.length + checkpoints.length === 0)
    found.push("The end: nothing you gave reveals a cut or rewrite after the last anchor.");
  found.push(
    "This page: it came from the service that it checks. Save verifier.js, read it and run it yourself.",
  );
  return found;
}
