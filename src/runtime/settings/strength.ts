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
  /^(postgres|password|passwd|pass|pw|changeit|changeme|secret|admin|minioadmin|root|tallystick(_\w+)?|test|123456\d*|qwerty)$/i;

export const isUsualPassword = (password: string): boolean => USUAL_PASSWORD.test(password);
