/** An operation's page: its form becomes a call, anonymous, with a key, or with a demo wallet's payment. */
import { showAnswer, showFailure, type TimedResponse } from "./answer.ts";
import { reasonOf } from "./ask.ts";
import { type Credential, call, type Question, UnusableKey } from "./calling.ts";
import { openCode } from "./code.ts";
import { el, part } from "./dom.ts";
import { openDownloads } from "./downloads.ts";
import { clearErrors, errorsIn, markErrors, markKey } from "./field-errors.ts";
import { developmentChain } from "./format.ts";
import { pictureWidth } from "./hover.ts";

const form = () => part<HTMLFormElement>("#try");
/** The operation's facts are outside the form, whose fields may be named `dataset` and hide the form's own. */
const declared = () => part("#operation").dataset;
const keyField = () => document.querySelector<HTMLInputElement>("#key");

function openTry(): void {
  for (const one of document.querySelectorAll<HTMLElement>("[data-development]"))
    one.hidden = !developmentChain;
  const key = keyField();
  const given = document.body.dataset.key;
  if (key && given) key.value = given;
  fillFromAddress();
  const writeCode = openCode();
  const renew = () => {
    const request = showRequest();
    if (request) writeCode(sampleOf(request));
  };
  form().addEventListener("input", renew);
  form().addEventListener("submit", (event) => {
    event.preventDefault();
    void run();
  });
  openDownloads((wanted) => answerAs(wanted));
  renew();
}

/** Another page may link a call with its fields filled: `?bounty_id=…`. */
function fillFromAddress(): void {
  const given = new URLSearchParams(location.search);
  for (const control of form().querySelectorAll<HTMLInputElement>("[data-in]")) {
    const value = given.get(control.name);
    if (value !== null) control.value = value;
  }
}

const wayIn = (): Credential => {
  const by = (new FormData(form()).get("way") as Credential["by"] | null) ?? "none";
  return by === "key" ? { by, key: keyField()?.value.trim() ?? "" } : { by };
};

/** Shows the request, and returns it unless a field is not JSON yet. */
function showRequest(): Question | undefined {
  const { by } = wayIn();
  const field = document.querySelector<HTMLElement>(".key-field");
  if (field) field.hidden = by !== "key";
  const place = part("#request");
  try {
    const request = question();
    place.replaceChildren(el("code", {}, `${request.method} ${request.url}`));
    return request;
  } catch (error) {
    place.replaceChildren((error as Error).message);
    return undefined;
  }
}

/** Without a typed key: only the sandbox's own is written into code. */
function sampleOf({ method, url, body }: Question) {
  const { url: service = "", answer = "json" } = declared();
  const way = wayIn();
  const given = document.body.dataset.key;
  return {
    method,
    url: service + url,
    body: body === undefined ? undefined : (JSON.parse(body) as Record<string, unknown>),
    credential: way.by === "key" ? { key: way.key === given ? given : undefined } : way.by,
    answer: answer as "json" | "text" | "bytes",
  };
}

/** Reads the form; throws a sentence about a field that is not JSON. */
function question(): Question {
  const { method = "GET", path = "/" } = declared();
  let url = path;
  const query = new URLSearchParams();
  const body: Record<string, unknown> = {};
  for (const control of form().querySelectorAll<HTMLInputElement>("[data-in]")) {
    const { name, value, dataset } = control;
    if (value === "") continue;
    if (dataset.in === "path")
      url = url.replace(new RegExp(`\\{(\\+?)${name}\\}`), (_, rest) => inPath(value, rest !== ""));
    else if (dataset.in === "query") query.set(name, value);
    else body[name] = typedAs(name, value, dataset.kind);
  }
  const request = query.toString().replaceAll("%2C", ",");
  return {
    method,
    url: request ? `${url}?${request}` : url,
    body: method === "POST" ? JSON.stringify(body) : undefined,
  };
}

const inPath = (value: string, isRest: boolean): string =>
  isRest ? encodeURIComponent(value).replaceAll("%2F", "/") : encodeURIComponent(value);

/** An invalid number is sent as typed: the service explains the fault best. */
function typedAs(name: string, value: string, kind: string | undefined): unknown {
  if (kind === "number") return Number.isNaN(Number(value)) ? value : Number(value);
  if (kind === "boolean") return value === "true" ? true : value === "false" ? false : value;
  if (kind !== "json") return value;
  try {
    return JSON.parse(value);
  } catch {
    throw new Error(`${name} is not JSON yet.`);
  }
}

async function run(): Promise<void> {
  const forms = (declared().forms ?? "").split(" ");
  const isDrawn = forms.includes("image/png");
  await attempt(async (request, way) => {
    const answered = await call(request, way, "application/json, */*;q=0.5");
    await show(answered, isDrawn ? () => call(forThisScreen(request), way, "image/png") : undefined);
  });
}

/** The same call with the picture's width for a small screen, unless the form has one. */
function forThisScreen(request: Question): Question {
  const width = pictureWidth();
  const field = document.querySelector<HTMLInputElement>("#field-width");
  if (width === undefined || !field || field.value !== "") return request;
  if (request.body !== undefined)
    return { ...request, body: JSON.stringify({ ...JSON.parse(request.body), width }) };
  return { ...request, url: `${request.url}${request.url.includes("?") ? "&" : "?"}width=${width}` };
}

/** The answer in a form to be saved; any other answer is shown. */
async function answerAs(wanted: string): Promise<TimedResponse | undefined> {
  let good: TimedResponse | undefined;
  await attempt(async (request, way) => {
    const answered = await call(request, way, wanted);
    if (!answered.response.ok) return show(answered);
    good = answered;
    part("#answer").replaceChildren(el("p", { class: "verdict good" }, "Saved as a file."));
    reveal();
  });
  return good;
}

/** Share of the window below which an answer's beginning is overlooked. */
const OVERLOOKED = 0.6;

/** Scrolls to the answer if it begins low in the window or outside of it. */
function reveal(): void {
  const place = part("#answer");
  const { top } = place.getBoundingClientRect();
  if (top < 0 || top > innerHeight * OVERLOOKED) place.scrollIntoView();
}

/** Runs the form's call; a failure is shown in the answer's place. */
async function attempt(work: (request: Question, way: Credential) => Promise<void>): Promise<void> {
  const button = part<HTMLButtonElement>("#try button");
  const place = part("#answer");
  button.disabled = true;
  clearErrors(form());
  // The old answer's height is kept until the new one is there, so that the page does not jump.
  place.style.minHeight = `${place.offsetHeight}px`;
  place.replaceChildren(el("p", { class: "soft" }, "Asking…"));
  try {
    await work(question(), wayIn());
  } catch (error) {
    showFailure(place, reasonOf(error));
    if (error instanceof UnusableKey) markKey(reasonOf(error));
    else reveal();
  } finally {
    place.style.minHeight = "";
    button.disabled = false;
  }
}

async function show(answered: TimedResponse, drawn?: Parameters<typeof showAnswer>[2]): Promise<void> {
  const value = await showAnswer(part("#answer"), answered, drawn);
  const { status } = answered.response;
  if (status === 400 && markErrors(form(), errorsIn(value))) return;
  if (status === 401 && wayIn().by === "key") return markKey(detailIn(value));
  reveal();
}

const detailIn = (value: unknown): string => {
  const { detail } = (value ?? {}) as { detail?: unknown };
  return typeof detail === "string" ? detail : "The service does not accept this key.";
};

openTry();
