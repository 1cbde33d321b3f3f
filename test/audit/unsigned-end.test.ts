/** Events beyond the last signature, and changed events within it: both verifiers say what is not proven. */
import { describe, expect, test } from "vitest";
import { formatVerdicts } from "../../eventstore/verify/report.ts";
import { exportLines } from "../eventstore/log-builder.ts";
import { log, ORIGIN } from "../eventstore/tampering.ts";
import { first, second, textOfLines } from "./judges.ts";
import { linesOf, type Pack } from "./pack-builder.ts";
import { KEY, strip, truePack, withEvents } from "./pack-tampering.ts";

/** The first events of nine, and a signature over the first `signed`. */
function packSignedTo(signed: number, events = log()): Pack {
  const pack = truePack("whole");
  strip(pack, "anchor", "consistency");
  pack.evidence = pack.evidence.filter((line) => !("note" in line) || line.note.includes(`\n${signed}\n`));
  withEvents(pack, events);
  return pack;
}
const signedToFour = (events = 9) => packSignedTo(4, log().slice(0, events));
const textOf = (pack: Pack) => textOfLines(linesOf(pack));
const lastLines = (report: Awaited<ReturnType<typeof first>>) => formatVerdicts(report).split("\n");
const of = (verdicts: { name: string; ok: boolean; judged?: false; detail: string }[], name: string) =>
  verdicts.find((one) => one.name === name)!;

describe("a file that was cut after its last signature", () => {
  test.each([
    [9, 4],
    [7, 3],
  ])(
    "of %i events in %i streams, it says that the later ones rest on the file alone",
    async (events, streams) => {
      const report = await first(textOf(signedToFour(events)), { key: KEY });
      expect(report.ok).toBe(true);
      expect(of(report.verdicts, "completeness").detail).toContain(
        "unproven beyond 4: without a head of the end, a rewrite or a cut there would not show",
      );
      const later = `${events} events in ${streams} streams: verified to 4; ${events - 4} later events rest on the file alone`;
      expect(lastLines(report)).toContain(`${later}, without a witness`);
    },
  );

  test("with the head of its end, the cut fails and the uncut file is verified whole", async () => {
    const heads = [{ position: 9, hash_prefix: log()[8]!.log_hash }];
    const cut = await first(textOf(signedToFour(7)), { key: KEY, heads });
    expect(of(cut.verdicts, "completeness")).toMatchObject({ ok: false, first_bad: 8 });
    const whole = await first(textOf(signedToFour()), { key: KEY, heads });
    expect(lastLines(whole)).toContain("9 events in 4 streams: verified, without a witness");
  });

  test("the second verifier says it too", async () => {
    const report = await second(textOf(signedToFour(7)), { key: KEY });
    expect(report).toMatchObject({ ok: true, proven: 4, events: 7 });
    expect(of(report.verdicts, "completeness").detail).toContain(
      "unproven beyond 4: without a head of the end",
    );
  });

  test("without any signature, all events rest on the file", async () => {
    const report = await first(textOfLines(exportLines(ORIGIN, log())));
    expect(lastLines(report)).toContain(
      "9 events in 4 streams: verified; all events rest on the file alone, without a witness",
    );
  });
});

describe("an event that was changed within the signed range", () => {
  const changed = signedToFour();
  const bent = changed.events[1]!;
  bent.line = bent.line.replace('\\"n\\":2', '\\"n\\":7');

  test("completeness is not judged, and the chain names the event", async () => {
    const report = await first(textOf(changed), { key: KEY });
    expect(of(report.verdicts, "completeness")).toMatchObject({
      ...{ ok: false, judged: false },
      detail: "not judged: the events themselves are not what was signed (chain, from 2)",
    });
    expect(formatVerdicts(report)).toMatch(/^\? {4}completeness {2}not judged/m);
    expect(formatVerdicts(report)).toMatch(
      /^FAIL chain .*event 2, Changed of stream stock, was changed after it was recorded: payload_hash is/m,
    );
  });

  test("the second verifier says it too", async () => {
    const { verdicts } = await second(textOf(changed), { key: KEY });
    expect(of(verdicts, "completeness")).toMatchObject({ ok: false, judged: false });
    expect(verdicts.find(({ name }) => name === "chain")!.reason).toMatch(
      /^event 2, Changed of stream stock, was changed after it was recorded: payload_hash is not/,
    );
  });

  test("beyond the signature it leaves the signed range as it is", async () => {
    const later = signedToFour();
    const event = later.events[7]!;
    event.line = event.line.replace('\\"n\\":8', '\\"n\\":7');
    const report = await first(textOf(later), { key: KEY });
    expect(of(report.verdicts, "chain").ok).toBe(false);
    expect(of(report.verdicts, "completeness")).toMatchObject({ ok: true });
  });

  test("two swapped events are one line for each event", async () => {
    const swapped = log();
    [swapped[4], swapped[7]] = [swapped[7]!, swapped[4]!];
    const report = await first(textOf(packSignedTo(9, swapped)), { key: KEY });
    expect(of(report.verdicts, "completeness")).toMatchObject({ ok: false, judged: false });
    const text = formatVerdicts(report);
    expect(text).toMatch(
      /FAIL order .*event 5 of stream order, is not at its place: .*position 8, expected 5/,
    );
    expect(text.match(/ at 8: /g)).toHaveLength(2);
  });
});
