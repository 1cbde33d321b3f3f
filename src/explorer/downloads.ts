/** An answer in another form, saved as a file. */
import type { TimedResponse } from "./answer.ts";

/** Runs `called` for the pressed button's form; `save` of a good answer, `refused` of any other. */
export function openDownloads(called: (form: string) => Promise<TimedResponse | undefined>): void {
  for (const button of document.querySelectorAll<HTMLButtonElement>("#downloads button"))
    button.addEventListener("click", async () => {
      button.disabled = true;
      const answered = await called(button.dataset.form ?? "");
      if (answered) await save(answered.response);
      button.disabled = false;
    });
}

async function save(response: Response): Promise<void> {
  const named = /filename="([^"]+)"/.exec(response.headers.get("Content-Disposition") ?? "");
  const link = document.createElement("a");
  link.href = URL.createObjectURL(await response.blob());
  link.download = named?.[1] ?? "answer";
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
