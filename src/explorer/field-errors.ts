/** The bad fields of a 400, marked in the form. */
import { el, part } from "./dom.ts";

type FieldError = { path: string; message: string };

export function clearErrors(form: HTMLFormElement): void {
  for (const note of form.querySelectorAll(".field-error")) note.remove();
  for (const control of form.querySelectorAll<HTMLInputElement>("[aria-invalid]")) {
    control.removeAttribute("aria-invalid");
    if (control.dataset.in === undefined) control.removeAttribute("aria-describedby");
    else control.setAttribute("aria-describedby", `about-${control.name}`);
  }
}

/** Some messages begin with the field themselves. */
const sentenceOf = ({ path, message }: FieldError) =>
  [" ", ":"].some((next) => message.startsWith(path + next)) ? message : `${path}: ${message}`;

/** Marks each named field, goes to the first, and returns true if there is any; `path` may lead into a field's value. */
export function markErrors(form: HTMLFormElement, errors: readonly FieldError[]): boolean {
  const controls = [...form.querySelectorAll<HTMLInputElement>("[data-in]")];
  const marked = controls.filter((control) => {
    const own = errors.filter(({ path }) => path.split(".")[0] === control.name);
    if (own.length === 0) return false;
    mark(control, own.map(sentenceOf).join("; "), `about-${control.name}`);
    return true;
  });
  marked[0]?.focus();
  return marked.length > 0;
}

/** Marks the field of the API key and goes to it. */
export function markKey(text: string): void {
  const field = part<HTMLInputElement>("#key");
  mark(field, text);
  field.focus();
}

function mark(control: HTMLElement, text: string, about = ""): void {
  const id = control.id.replace(/^(field-)?/, "error-");
  control.setAttribute("aria-invalid", "true");
  control.setAttribute("aria-describedby", `${id} ${about}`.trim());
  control.after(el("p", { id, class: "field-error" }, text));
}

/** The errors of a problem (RFC 9457) that name a field. */
export const errorsIn = (value: unknown): FieldError[] => {
  const { errors } = (value ?? {}) as { errors?: unknown };
  return Array.isArray(errors) ? (errors as FieldError[]).filter(({ path }) => typeof path === "string") : [];
};
