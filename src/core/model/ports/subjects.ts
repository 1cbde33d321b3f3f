import type { Personal, Sealed, SealLocation, SubjectName } from "../sealed.ts";

export type SealRequest = {
  subject: SubjectName;
  place: SealLocation;
  value: Personal;
  /** Skips the lookup of an existing key. A wrong value only costs time. */
  is_new?: boolean;
};

export type OpenedValue =
  | { erased: false; subject_id: string; value: Personal }
  | { erased: true; subject_id: string };

export type IssuedKey = { subject_id: string; given_at: string; age_s: number };

/** One key per subject. Rejects with SubjectsUnavailable. */
export type Subjects = {
  /** Creates unknown subjects. One query to the vault, two for a new subject without `is_new`. */
  seal(page: readonly SealRequest[]): Promise<Sealed[]>;
  /** One query. Rejects with SealBroken for a value that was moved or changed. */
  open(page: readonly { sealed: Sealed; place: SealLocation }[]): Promise<OpenedValue[]>;
  find(subject: SubjectName): Promise<string | undefined>;
  erase(subject_ids: readonly string[]): Promise<number>;
  given(limit: number): Promise<IssuedKey[]>;
  used(subject_ids: readonly string[]): Promise<void>;
  /** Skips keys that were issued again since; returns how many it destroyed. */
  recall(keys: readonly IssuedKey[]): Promise<number>;
  /** Wraps all keys by the current master key; returns how many changed. */
  rewrap(): Promise<number>;
  /** A destroyed key may survive in a backup for so many days. */
  readonly backup_days: number;
};

export class SealBroken extends Error {
  override readonly name = "SealBroken";
}

export class SubjectsUnavailable extends Error {
  override readonly name = "SubjectsUnavailable";
}
