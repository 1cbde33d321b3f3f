import type { Personal, Sealed, SealLocation, SubjectName } from "../sealed.ts";

export type SealRequest = {
  subject: SubjectName;
  place: SealLocation;
  value: Personal;
  /** The subject is new, so no lookup of its key is needed. A wrong value only costs time. */
  is_new?: boolean;
};

export type OpenedValue =
  | { erased: false; subject_id: string; value: Personal }
  | { erased: true; subject_id: string };

export type IssuedKey = { subject_id: string; given_at: string; age_s: number };

/** The vault, with one key for each subject. Rejects with SubjectsUnavailable. */
export type Subjects = {
  /**
   * Seals values, and creates unknown subjects. Sends one query to the vault, or two for a new subject without
   * `is_new`.
   */
  seal(page: readonly SealRequest[]): Promise<Sealed[]>;
  /** Decrypts values with one query to the vault. Rejects with SealBroken for a value that was moved or changed. */
  open(page: readonly { sealed: Sealed; place: SealLocation }[]): Promise<OpenedValue[]>;
  find(subject: SubjectName): Promise<string | undefined>;
  erase(subject_ids: readonly string[]): Promise<number>;
  given(limit: number): Promise<IssuedKey[]>;
  used(subject_ids: readonly string[]): Promise<void>;
  /** Destroys keys without a recorded use, except keys that were issued again since. Returns their number. */
  recall(keys: readonly IssuedKey[]): Promise<number>;
  /** Encrypts all keys with the current master key. Returns how many it changed. */
  rewrap(): Promise<number>;
  /** The number of days for which a destroyed key may survive in a backup. */
  readonly backup_days: number;
};

export class SealBroken extends Error {
  override readonly name = "SealBroken";
}

export class SubjectsUnavailable extends Error {
  override readonly name = "SubjectsUnavailable";
}
