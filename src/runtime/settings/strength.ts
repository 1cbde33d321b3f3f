import { createHash } from "node:crypto";
import { COMMON_WORDS } from "./published-accounts.ts";

const KEYBOARD = ["1234567890-=", "qwertyuiop[]", "asdfghjkl;'", "zxcvbnm,./"];

const keyOf = (character: string): [row: number, column: number] => {
  const row = KEYBOARD.findIndex((keys) => keys.includes(character));
  return row < 0 ? [character.charCodeAt(0), 0] : [row, KEYBOARD[row]!.indexOf(character)];
};

/** Characters, steps of the alphabet and steps of the keyboard. */
function viewsOf(characters: readonly string[]): readonly (readonly string[])[] {
  const codes = characters.map((character) => character.charCodeAt(0));
  const keys = characters.map(keyOf);
  const steps = codes.map((code, at) => String(code - (codes[at - 1] ?? 0)));
  const moves = keys.map(([row, column], at) => {
    const [fromRow, fromColumn] = keys[at - 1] ?? [0, 0];
    return `${row - fromRow} ${column - fromColumn}`;
  });
  return [characters, steps, moves];
}

/** A repetition of so many symbols is no chance. */
const REPEATED = 3;

/**
 * Counts bits that do not follow from earlier characters. Random hex digits have nearly four each; repetitions and runs of the
 * alphabet or keyboard have few. Words of a language look random to it.
 */
export function guessingBits(secret: string): number {
  const characters = [...secret.toLowerCase()];
  const isForeseen = characters.map(() => false);
  for (const view of viewsOf(characters)) {
    const before = new Set<string>();
    for (let at = REPEATED - 1; at < view.length; at++) {
      const piece = view.slice(at - REPEATED + 1, at + 1).join("\0");
      if (before.has(piece)) isForeseen[at] = true;
      before.add(piece);
    }
  }
  const count = isForeseen.filter((foreseen) => !foreseen).length;
  return count * Math.log2(new Set(characters).size);
}

const PLACEHOLDER =
  /change.?(me|this|it)|example|password|secret|placeholder|replace|insert.?here|your.?(own|key|token)|tallystick|dummy|insecure/i;

export const isPlaceholder = (secret: string): boolean => PLACEHOLDER.test(secret);

/** Defaults of databases and buckets, or from documentation. */
const USUAL_PASSWORD =
  /^(postgres|password|passwd|pass|pw|changeit|changeme|letmein|welcome|secret|token|admin|minioadmin|root|tallystick([_-]\w+)?|test|qwerty)\d*$|^123456\d*$/i;

export const isUsualPassword = (password: string): boolean => USUAL_PASSWORD.test(password);

/** A digest (hex) of the empty text or a common word looks random, but anybody can compute it. */
export const isDigestOfWord = (hex: string): boolean => digests().has(hex);

let known: ReadonlySet<string> | undefined;
const digests = (): ReadonlySet<string> => {
  known ??= new Set(
    COMMON_WORDS.flatMap((word) =>
      ["md5", "sha1", "sha256", "sha512"].map((name) => createHash(name).update(word).digest("hex")),
    ),
  );
  return known;
};

/** π, e and the square root of 2: a matching run of twelve digits is no chance. */
const CONSTANTS = [
  "314159265358979323846264338327950288419716939937510582097494459230781640628620899862803482534211706798",
  "271828182845904523536028747135266249775724709369995957496696762772407663035354759457138217852516642742",
  "141421356237309504880168872420969807856967187537694807317667973799073247846210703885038753432764157273",
  "161803398874989484820458683436563811772030917980576286213544862270526046281890244970720720418939113748",
];

export function isSequence(text: string): boolean {
  const digits = text.replaceAll(/[\s.,_-]/g, "");
  const bytes = digits.match(/../g) ?? [];
  const counts = /^[0-9a-f]{16,}$/.test(digits) && steps(bytes).size === 1;
  const isConstant =
    digits.length >= 12 && CONSTANTS.some((digitsOf) => digitsOf.includes(digits.slice(0, 24)));
  return counts || isConstant || isRepeated(text);
}

const steps = (bytes: readonly string[]) =>
  new Set(bytes.slice(1).map((byte, at) => (parseInt(byte, 16) - parseInt(bytes[at]!, 16) + 256) % 256));

/** Ignores separators and case; the last repetition may be incomplete. */
function isRepeated(text: string): boolean {
  const plain = text.toLowerCase().replaceAll(/[\s_.,;:|/-]+/g, "");
  for (let length = 1; length <= plain.length / 2; length++)
    if (plain.slice(length) === plain.slice(0, -length)) return true;
  return false;
}
