export type SmallObject = { name: string; bytes: Uint8Array };

/** Storage for bytes named by their digest. Methods reject with ObjectDamaged if content does not match its name. */
export type Objects = {
  /** Rejects with ObjectsUnavailable, and names the setting to change. */
  check(): Promise<void>;
  put(name: string, bytes: Uint8Array): Promise<void>;
  /** Stores all of them or none, in one round trip. */
  putAll(objects: readonly SmallObject[]): Promise<void>;
  /** Stores a file of any size. All methods for files reject with ObjectsUnavailable. */
  putFile(name: string, path: string): Promise<void>;
  get(name: string): Promise<Buffer | undefined>;
  /** Writes the object to `path`. The file appears only once its digest matches; false if there is no such object. */
  getFile(name: string, path: string): Promise<boolean>;
  /** A copy of the file that stays on this machine for some hours. If the copy was changed, it is verified again. */
  localFile(name: string): Promise<{ path: string; bytes: number } | undefined>;
  /** Runs the work with the path of a temporary file, and removes the file afterwards. */
  aside<T>(work: (path: string) => Promise<T>): Promise<T>;
  has(name: string): Promise<boolean>;
  list(beginning: string): Promise<string[]>;
  delete(names: readonly string[]): Promise<number>;
  deletePast(most: number): Promise<number>;
};

/** A folder or a bucket. It never expires its files. Rejects with ObjectsUnavailable. */
export type FileStore = {
  check(): Promise<void>;
  /** Stores a file atomically; a repeat changes nothing. */
  put(name: string, file: { path: string; sha256: string; bytes: number }): Promise<void>;
  get(name: string): Promise<AsyncIterable<Uint8Array> | undefined>;
  delete(name: string): Promise<void>;
};

/** Its message names the setting to change. */
export class ObjectsUnavailable extends Error {
  override readonly name = "ObjectsUnavailable";
}
