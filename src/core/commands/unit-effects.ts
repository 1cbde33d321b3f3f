import type { SealRequest } from "../model/ports/subjects.ts";
import type { Sealed } from "../model/sealed.ts";
import * as subject from "../model/subject.ts";
import * as unusedKeys from "../model/unused-keys.ts";
import { sealFor } from "./sealing.ts";
import type { Target, UnitParts, Watch } from "./unit.ts";

export class UnitEffects {
  readonly #parts: Pick<UnitParts, "subjects" | "objects">;
  readonly #watch: Watch;
  #unsealed: { value: SealRequest; member: Sealed }[] = [];
  #unstored: { name: string; bytes: Buffer }[] = [];

  constructor(parts: Pick<UnitParts, "subjects" | "objects">, watch: Watch) {
    this.#parts = parts;
    this.#watch = watch;
  }

  get arePending(): boolean {
    return this.#unsealed.length > 0 || this.#unstored.length > 0;
  }

  /** Returns an empty object at once. `perform` fills in its fields later. */
  personal(value: SealRequest): Sealed {
    const member = {} as Sealed;
    this.#unsealed.push({ value, member });
    return member;
  }

  store(name: string, bytes: Buffer): void {
    this.#unstored.push({ name, bytes });
  }

  async perform(): Promise<void> {
    const [unsealed, unstored] = [this.#unsealed, this.#unstored];
    this.#unsealed = [];
    this.#unstored = [];
    if (unsealed.length > 0) await this.#seal(unsealed);
    for (const { name, bytes } of unstored) await this.#parts.objects.put(name, bytes);
  }

  async #seal(unsealed: readonly { value: SealRequest; member: Sealed }[]): Promise<void> {
    await this.#watch(unusedKeys, unusedKeys.target);
    const isLeaving = async (of: Target, is_new: boolean) =>
      (await this.#watch(subject, of, { is_new })) !== undefined;
    const page = unsealed.map(({ value }) => value);
    const sealed = await sealFor(this.#parts.subjects, isLeaving, page);
    for (const [at, { member }] of unsealed.entries()) Object.assign(member, sealed[at]);
  }
}
