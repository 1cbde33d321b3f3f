export type SmallObject = { name: string; bytes: Uint8Array };

/** Content that does not match its name rejects with ObjectDamaged. */
export type Objects = {
  /** Rejects with ObjectsUnavailable, and names the setting to change. */
  check(): Promise<void>;
  put(name: string, bytes: Uint8Array): Promise<void>;
  /** All or none, in one round trip. */
  putAll(objects: readonly SmallObject[]): Promise<void>;
  /** Any size. All methods for files reject with ObjectsUnavailable. */
  putFile(name: string, path: string): Promise<void>;
  get(name: string): Promise<Buffer | undefined>;
  /** The new file appears only once its digest matches; false: no such object. */
  getFile(name: string, path: string): Promise<boolean>;
  /** Cached on this machine for some hours; a changed file is verified again. */
  localFile(name: string): Promise<{ path: string; bytes: number } | undefined>;
  /** The temporary file is removed after the work. */
  aside<T>(work: (path: string) => Promise<T>): Promise<T>;
  has(name: string): Promise<boolean>;
  list(beginning: string): Promise<string[]>;
  delete(names: readonly string[]): Promise<number>;
  deletePast(most: number): Promise<number>;
};

/** A folder or a bucket; it knows no expiry. Rejects with ObjectsUnavailable. */
export type FileStore = {
  check(): Promise<void>;
  /** Atomic and idempotent. */
  put(name: string, file: { path: string; sha256: string; bytes: number }): Promise<void>;
  get(name: string): Promise<AsyncIterable<Uint8Array> | undefined>;
  delete(name: string): Promise<void>;
};

/** Its message names the setting to change. */
export class ObjectsUnavailable extends Error {
  override readonly name = "ObjectsUnavailable";
}
