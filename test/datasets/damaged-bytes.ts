/** Damages to the bytes of a file, for tests of readers; fast-check's message has the seed that replays a failure. */
import fc from "fast-check";

/** Parts of a file that readers are known to stumble over. */
const oddities = [
  ...[0x00, 0x1a, 0x80, 0xa0, 0xc3, 0xe8, 0xff, 0xfe].map((byte) => Buffer.of(byte)),
  ...[
    "\r",
    "\n",
    "\r\n",
    '"',
    ",",
    ";",
    "\t",
    "&",
    "&#0;",
    "&#x27;",
    "&#xD800;",
    "&foo;",
    "<",
    "]]>",
    "<!--",
  ].map((text) => Buffer.from(text)),
  ...["NA", "NaN", ":", "1e999", "-0", "٣", "\u202e", "\ufeff", "\ufffe"].map((text) => Buffer.from(text)),
];

export const damage = (length: number) =>
  fc.array(
    fc.record({
      at: fc.nat(length),
      removed: fc.integer({ min: 0, max: 8 }),
      added: fc.oneof(fc.constantFrom(...oddities), fc.uint8Array({ maxLength: 4 })),
    }),
    { minLength: 1, maxLength: 4 },
  );

type Damage = { at: number; removed: number; added: Uint8Array };

export const damagedBytes = (whole: Buffer, damages: readonly Damage[]): Buffer =>
  damages.reduce<Buffer>(
    (bytes, { at, removed, added }) =>
      Buffer.concat([bytes.subarray(0, at), added, bytes.subarray(at + removed)]),
    whole,
  );
