/** An operation's page: its form becomes a call, anonymous, with a key, or with a demo wallet's payment. */
import { showAnswer, showFailure } from "./answer.ts";
import { reasonOf } from "./ask.ts";
import { type Credential, call, type Question } from "./calling.ts";
import { el, part } from "./dom.ts";
import { developmentChain } from "./format.ts";

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
  form().addEventListener("input", showRequest);
  form().addEventListener("submit", (event) => {
    event.preventDefault();
    void run();
  });
  showRequest();
}

const wayIn = (): Credential => {
  const by = (new FormData(form()).get("way") as Credential["by"] | null) ?? "none";
  return by === "key" ? { by, key: keyField()?.value.trim() ?? "" } : { by };
};

function showRequest(): void {
  const { by } = wayIn();
  const field = document.querySelector<HTMLElement>(".key-field");
  if (field) field.hidden = by !== "key";
  const place = part("#request");
  try {
    const { method, url } = question();
    place.replaceChildren(el("code", {}, `${method} ${url}`));
  } catch (error) {
    place.replaceChildren((error as Error).message);
  }
}

/** Reads the form; throws a sentence about a field that is no JSON. */
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
  const asked = query.toString().replaceAll("%2C", ",");
  return {
    method,
    url: asked ? `${url}?${asked}` : url,
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
    throw new Error(`${name} is no JSON yet.`);
  }
}

async function run(): Promise<void> {
  const button = part<HTMLButtonElement>("#try button");
  const place = part("#answer");
  button.disabled = true;
  place.replaceChildren(el("p", { class: "soft" }, "Asking…"));
  try {
    const asked = question();
    const way = wayIn();
    const answered = await call(asked, way, "application/json, */*;q=0.5");
    const forms = (declared().forms ?? "").split(" ");
    await showAnswer(
      place,
      answered,
      forms.includes("image/png") ? () => call(asked, way, "image/png") : undefined,
    );
  } catch (error) {
    showFailure(place, reasonOf(error));
  } finally {
    button.disabled = false;
  }
}

openTry();
