import { part } from "./dom.ts";

/** Shows the page's copy buttons; each copies the text before it. */
export function fillCopyButtons(): void {
  // Browsers allow copying only over TLS, so other pages have no buttons.
  if (navigator.clipboard === undefined) return;
  for (const button of document.querySelectorAll<HTMLButtonElement>(".call .copy")) {
    button.hidden = false;
    button.addEventListener("click", async () => {
      const text = button.previousElementSibling?.textContent ?? "";
      const done = await navigator.clipboard.writeText(text).then(
        () => true,
        () => false,
      );
      button.classList.toggle("done", done);
      part("#announcer").textContent = done ? "Copied" : "Copying was refused";
      setTimeout(() => button.classList.remove("done"), 1_500);
    });
  }
}
