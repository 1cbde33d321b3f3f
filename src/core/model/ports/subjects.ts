import type { Personal, Sealed, SealPlace, SubjectName } from "../sealed.ts";

/** A value to be sealed: about whom it is, and where in the log it will stand. */
export type ToSeal = {
  subject: SubjectName;
  place: SealPlace;
  value: Personal;
  /** Nobody has had this name before, as of an execution: no key is looked for before one is made. Where it is wrong it costs time alone. */
  is_new?: boolean;
};

/** A sealed value as it is opened: what it says, or that whom it is about was erased. */
export type Opened =
  | { erased: false; subject_id: string; value: Personal }
  | { erased: true; subject_id: string };

/** A key that nothing is known to be recorded under: when it was given out, as the vault writes it, and how long ago. */
export type GivenKey = { subject_id: string; given_at: string; age_s: number };

/** The vault of personal data: a key for each subject, and nothing but those keys. Rejects with SubjectsUnavailable where it cannot be asked. */
export type Subjects = {
  /** Seals a page of values; whoever is not known becomes a subject. One question to the vault, two where somebody is new and is not said to be. */
  seal(page: readonly ToSeal[]): Promise<Sealed[]>;
  /** Opens a page of values by one question. Rejects with SealBroken for one that stood elsewhere, or was changed. */
  open(page: readonly { sealed: Sealed; place: SealPlace }[]): Promise<Opened[]>;
  /** The subject of this name; undefined where there is none, or it was erased. */
  find(subject: SubjectName): Promise<string | undefined>;
  /** Destroys the keys of subjects, for good; those that have none are passed over. Says how many had one. */
  erase(subject_ids: readonly string[]): Promise<number>;
  /** So many of the keys that `used` was not told of, those first that were given out longest ago. */
  given(limit: number): Promise<GivenKey[]>;
  /** Something is recorded under the keys of these. */
  used(subject_ids: readonly string[]): Promise<void>;
  /** Destroys keys that were not given out again since; says how many. */
  recall(keys: readonly GivenKey[]): Promise<number>;
  /** Wraps by the present master key what an older one wrapped, which is known no more then; says how many keys it were. */
  rewrap(): Promise<number>;
  /** Days that copies of the vault are kept: so long a key that is destroyed here may stand in one. */
  readonly backup_days: number;
};

/** A sealed value does not open: it stands elsewhere than where it was sealed for, or was changed. */
export class SealBroken extends Error {
  override readonly name = "SealBroken";
}

/** The vault cannot be asked now, or there is none; ask again later. */
export class SubjectsUnavailable extends Error {
  override readonly name = "SubjectsUnavailable";
}
