/** Real-looking trade of two reporters in two chapters, month by month, as Eurostat's bulk files have it: enough to bet on. */
import { readFile } from "node:fs/promises";
import { monthsBetween, type Period } from "../../src/domain/trade/units.ts";
import { bulkFixture, fileOf, importFiles } from "../datasets/workshop.ts";
import { releaseVintage } from "../support/cube.ts";
import { opened } from "../support/sandbox.ts";
import type { Service } from "../support/service.ts";

const FIRST: Period = 202101;

/** Growth in waves of a year and a half: three months of growth predict the next. */
const euros = (at: number, chapter: number) =>
  Math.round(1_000_000 * Math.exp(Math.sin(at / 7 + chapter) + Math.cos((at * Math.PI) / 6) / 3));

/** Imports the months up to and with `last` and releases them; resolves when the service has them open. FR delivers a month later. */
export async function releaseMonths(
  service: Service,
  last: Period,
  replaces: string | null,
  /** A chapter without trade from a month on. */
  silent?: { chapter: string; from: Period },
): Promise<string> {
  const dir = service.data_dir;
  const header = (await readFile(bulkFixture, "utf8")).split("\n")[0]!;
  const line = (reporter: string, product: string, flow: number, period: Period, eur: number) =>
    `${reporter},CN,E,${product},58310,2221,2221,220,211210,07,${flow},1,NO_SU,${period},${eur},${eur},1000,0`;
  const months = monthsBetween(FIRST, last);
  const files = months.map((period, at) => {
    const reporters = at === months.length - 1 ? ["DE"] : ["DE", "FR"];
    const lines = reporters.flatMap((reporter, shift) =>
      [1, 2].flatMap((flow) => [
        line(reporter, "39161000", flow, period, euros(at + shift * 3, flow)),
        line(reporter, "85171300", flow, period, euros(at + shift * 5, flow + 2)),
      ]),
    );
    const isTraded = (text: string) =>
      !silent || period < silent.from || !text.includes(`,E,${silent.chapter}`);
    return fileOf(dir, `full_v2_${period}.csv`, [header, ...lines.filter(isTraded)]);
  });
  const { manifest } = await importFiles(dir, await Promise.all(files), {
    reporters: ["DE", "FR"],
    replaces,
  });
  await releaseVintage(service.app, dir, manifest.vintage);
  await opened(service, [manifest.vintage]);
  return manifest.vintage;
}
