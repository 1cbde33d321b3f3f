/** An object of at most 1 MiB, and the name that its digest gives it. */
export type SmallObject = { name: string; bytes: Uint8Array };

/** Bytes that are not events, by the names of src/core/model/objects.ts. Bytes that are not what they are named reject with ObjectDamaged. */
export type Objects = {
  /** Rejects with ObjectsUnavailable where files can be neither put nor had, and names the setting to change. */
  check(): Promise<void>;
  /**
   * At most 1 MiB. Lies for an hour, unless a read model says for how much longer once the log names it. Outlives a crash of Postgres with
   * the commit that names it, and not before.
   */
  put(name: string, bytes: Uint8Array): Promise<void>;
  /** All of them or none, in the time that one takes. */
  putAll(objects: readonly SmallObject[]): Promise<void>;
  /** A file of any size, kept as long; rejects with ObjectsUnavailable, as the others that come to files do. */
  putFile(name: string, path: string): Promise<void>;
  /** What `put` put. */
  get(name: string): Promise<Buffer | undefined>;
  /** Writes what `putFile` put to a new file, which is there only when its bytes are those that were named; false: there is none. */
  getFile(name: string, path: string): Promise<boolean>;
  /** The same file where this machine keeps it, for some hours: fetched once, and held against its name whenever it is another than it was. */
  localFile(name: string): Promise<{ path: string; bytes: number } | undefined>;
  /** Gives the path of a new file, which is removed when the work is done. */
  aside<T>(work: (path: string) => Promise<T>): Promise<T>;
  has(name: string): Promise<boolean>;
  /** The names that begin so, in order. */
  list(beginning: string): Promise<string[]>;
  /** Says how many there were. */
  delete(names: readonly string[]): Promise<number>;
  /** Deletes some of those whose time is past, and says how many. */
  deletePast(most: number): Promise<number>;
};

/** Where files lie: a folder, or a bucket. It knows nothing of for how long. Rejects with ObjectsUnavailable. */
export type ObjectPlace = {
  /** Tries it. */
  check(): Promise<void>;
  /** Whole or not at all; put again it is the same. */
  put(name: string, file: { path: string; sha256: string; bytes: number }): Promise<void>;
  /** As they come, not held against the name; undefined: there is none. */
  get(name: string): Promise<AsyncIterable<Uint8Array> | undefined>;
  /** One that is not there is no error. */
  delete(name: string): Promise<void>;
};

/** The place of objects cannot be asked now, or refuses; the message says what to change. */
export class ObjectsUnavailable extends Error {
  override readonly name = "ObjectsUnavailable";
}
