/**
 * Counts the loops of a WebAssembly module: each round takes one from a budget, and traps when it is empty. Native
 * loops call no interrupt handler, but so they end at the same round on every machine. Binary format: WebAssembly
 * Core 2.0, chapter 5.
 */

/** The export of the global with the remaining budget. */
export const BUDGET = "tallystick_budget";

const GLOBAL = 6;
const EXPORT = 7;
const CODE = 10;
const IMPORT = 2;

/** The initial budget, until the host sets it. */
const INITIAL = 2n ** 40n;

/** The same module with a budget. Throws for an unknown instruction. */
export function withCountedLoops(module: Uint8Array): Uint8Array<ArrayBuffer> {
  const reader = new Reader(module, 8);
  const sections: { id: number; bytes: Uint8Array }[] = [];
  while (!reader.isAtEnd) {
    const id = reader.byte();
    sections.push({ id, bytes: reader.bytes(reader.number()) });
  }
  const found = (id: number) =>
    sections.find((section) => section.id === id)?.bytes ?? refuse(`no section ${id}`);
  refuseImportedGlobals(found(IMPORT));
  const [globals, , rest] = vector(found(GLOBAL));
  const changed = new Map<number, Uint8Array | number[]>([
    [GLOBAL, [...unsigned(globals + 1), ...rest, 0x7e, 0x01, 0x42, ...signed(INITIAL), 0x0b]],
    [EXPORT, withExport(found(EXPORT), globals)],
    [CODE, withCounting(found(CODE), globals)],
  ]);
  const parts = sections.map(({ id, bytes }) => {
    const content = changed.get(id) ?? bytes;
    return [Uint8Array.from([id, ...unsigned(content.length)]), Uint8Array.from(content)];
  });
  return Uint8Array.from(Buffer.concat([module.subarray(0, 8), ...parts.flat()]));
}

const refuse = (reason: string): never => {
  throw new Error(`this WebAssembly cannot be counted: ${reason}`);
};

/** A section's entry count, the offset of its first entry, and the bytes of all entries. */
function vector(section: Uint8Array): [number, number, Uint8Array] {
  const reader = new Reader(section, 0);
  const count = reader.number();
  return [count, reader.at, section.subarray(reader.at)];
}

function withExport(section: Uint8Array, global: number): number[] {
  const [count, , rest] = vector(section);
  const name = Buffer.from(BUDGET);
  return [...unsigned(count + 1), ...rest, name.length, ...name, 0x03, ...unsigned(global)];
}

/** Imported globals would shift the index of the new global, so a module must have none. */
function refuseImportedGlobals(section: Uint8Array): void {
  const reader = new Reader(section, 0);
  for (let left = reader.number(); left > 0; left--) {
    reader.bytes(reader.number());
    reader.bytes(reader.number());
    const kind = reader.byte();
    if (kind === 0) reader.number();
    else if (kind === 2) {
      const flags = reader.byte();
      reader.number();
      if (flags & 1) reader.number();
    } else refuse(`an import of kind ${kind}`);
  }
}

function withCounting(section: Uint8Array, global: number): Uint8Array {
  const reader = new Reader(section, 0);
  const count = reader.number();
  const g = unsigned(global);
  // if the budget is 0: unreachable; otherwise subtract 1
  const round = Uint8Array.from([
    ...[0x23, ...g, 0x50, 0x04, 0x40, 0x00, 0x0b],
    ...[0x23, ...g, 0x42, 0x01, 0x7d, 0x24, ...g],
  ]);
  const out: Uint8Array[] = [Uint8Array.from(unsigned(count))];
  for (let left = count; left > 0; left--) {
    const end = reader.number() + reader.at;
    const body: Uint8Array[] = [];
    let from = reader.at;
    for (let locals = reader.number(); locals > 0; locals--) {
      reader.number();
      reader.byte();
    }
    while (reader.at < end) {
      if (!skipInstruction(reader)) continue;
      body.push(section.subarray(from, reader.at), round);
      from = reader.at;
    }
    body.push(section.subarray(from, end));
    const length = body.reduce((sum, part) => sum + part.length, 0);
    out.push(Uint8Array.from(unsigned(length)), ...body);
  }
  return Buffer.concat(out);
}

/** The LEB128 operands of each instruction with the prefix 0xfc. */
const AFTER_PREFIX = [0, 0, 0, 0, 0, 0, 0, 0, 2, 1, 2, 1, 2, 1, 2, 1, 1, 1];

/** Skips an instruction; true if it begins a loop. */
function skipInstruction(reader: Reader): boolean {
  const code = reader.byte();
  if (code >= 0x45 && code <= 0xc4) return false;
  if (code >= 0x28 && code <= 0x3e) reader.numbers(2);
  else if (code >= 0x20 && code <= 0x26) reader.numbers(1);
  else
    switch (code) {
      case 0x00:
      case 0x01:
      case 0x05:
      case 0x0b:
      case 0x0f:
      case 0x1a:
      case 0x1b:
      case 0xd1:
        break;
      case 0x02:
      case 0x03:
      case 0x04:
      case 0x0c:
      case 0x0d:
      case 0x10:
      case 0x3f:
      case 0x40:
      case 0x41:
      case 0x42:
      case 0xd0:
      case 0xd2:
        reader.numbers(1);
        break;
      case 0x0e:
        reader.numbers(reader.number() + 1);
        break;
      case 0x11:
        reader.numbers(2);
        break;
      case 0x43:
        reader.bytes(4);
        break;
      case 0x44:
        reader.bytes(8);
        break;
      case 0xfc: {
        const more = reader.number();
        reader.numbers(AFTER_PREFIX[more] ?? refuse(`the instruction 0xfc ${more}`));
        break;
      }
      default:
        refuse(`the instruction 0x${code.toString(16)}`);
    }
  return code === 0x03;
}

class Reader {
  readonly #bytes: Uint8Array;
  at: number;

  constructor(bytes: Uint8Array, at: number) {
    this.#bytes = bytes;
    this.at = at;
  }

  get isAtEnd(): boolean {
    return this.at >= this.#bytes.length;
  }

  byte(): number {
    return this.#bytes[this.at++] ?? refuse("it ends too early");
  }

  bytes(length: number): Uint8Array {
    this.at += length;
    return this.#bytes.subarray(this.at - length, this.at);
  }

  /** An unsigned 32-bit number in LEB128. */
  number(): number {
    let value = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = this.byte();
      value += (byte & 0x7f) * 2 ** shift;
      if (byte < 0x80) return value;
    }
  }

  numbers(count: number): void {
    for (let left = count; left > 0; left--) while (this.byte() >= 0x80);
  }
}

function unsigned(value: number): number[] {
  const bytes: number[] = [];
  let rest = value;
  do {
    const low = rest % 128;
    rest = Math.floor(rest / 128);
    bytes.push(rest > 0 ? low | 0x80 : low);
  } while (rest > 0);
  return bytes;
}

/** A non-negative number in signed LEB128. */
function signed(value: bigint): number[] {
  const bytes: number[] = [];
  for (let rest = value; ; rest >>= 7n) {
    const low = Number(rest & 0x7fn);
    if (rest < 64n) return [...bytes, low];
    bytes.push(low | 0x80);
  }
}
