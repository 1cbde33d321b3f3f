/** The bad fields of a 400, marked in the form. */
import { el } from "./dom.ts";

type FieldError = { path: string; message: string };

export function clearErrors(form: HTMLFormElement): void {
  for (const note of form.querySelectorAll(".field-error")) note.remove();
  for (const control of form.querySelectorAll("[aria-invalid]")) {
    control.removeAttribute("aria-invalid");
    control.setAttribute("aria-describedby", `about-${(control as HTMLInputElement).name}`);
  }
}

/** Some messages begin with the field themselves. */
const sentenceOf = ({ path, message }: FieldError) =>
  message.startsWith(`${path} `) ? message : `${path} ${message}`;

/** Marks each named field and goes to the first; `path` may lead into a field's value. */
export function markErrors(form: HTMLFormElement, errors: readonly FieldError[]): void {
  const controls = [...form.querySelectorAll<HTMLInputElement>("[data-in]")];
  const marked = controls.filter((control) => {
    const own = errors.filter(({ path }) => path.split(".")[0] === control.name);
    if (own.length === 0) return false;
    const id = `error-${control.name}`;
    const text = own.map(sentenceOf).join("; ");
    control.setAttribute("aria-invalid", "true");
    control.setAttribute("aria-describedby", `${id} about-${control.name}`);
    control.after(el("p", { id, class: "field-error" }, text));
    return true;
  });
  marked[0]?.focus();
}

/** The errors of a problem (RFC 9457) that name a field. */
export const errorsIn = (value: unknown): FieldError[] => {
  const { errors } = (value ?? {}) as { errors?: unknown };
  return Array.isArray(errors) ? (errors as FieldError[]).filter(({ path }) => typeof path === "string") : [];
};
