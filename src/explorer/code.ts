/** The call of an operation's page as code to copy. */
import { type CallSample, LANGUAGES, samplesOf } from "../web/call-samples.ts";
import { fillCopyButtons } from "./copying.ts";
import { part, write } from "./dom.ts";

const CHOSEN = "language";

/** Shows one language at a time and remembers the choice; returns a function that writes another call. */
export function openCode(): (call: CallSample) => void {
  const buttons = [...document.querySelectorAll<HTMLButtonElement>("#code [data-language]")];
  const show = (language: string) => {
    for (const button of buttons)
      button.setAttribute("aria-pressed", String(button.dataset.language === language));
    for (const one of document.querySelectorAll<HTMLElement>("#code [data-code]"))
      one.hidden = one.dataset.code !== language;
  };
  for (const button of buttons)
    button.addEventListener("click", () => {
      const { language = "" } = button.dataset;
      localStorage.setItem(CHOSEN, language);
      show(language);
    });
  show(LANGUAGES.find((one) => one === localStorage.getItem(CHOSEN)) ?? LANGUAGES[0]);
  fillCopyButtons();
  return (call) => {
    const samples = samplesOf(call);
    for (const language of LANGUAGES) write(part(`#code [data-code="${language}"] pre`), samples[language]);
  };
}
