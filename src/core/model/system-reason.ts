const ELSEWHERE = "give this account the right, or name another place";

/** The operating system's error codes as sentences, each with a remedy. */
const REASONS: Readonly<Record<string, string>> = {
  EACCES: `this account may not use it: ${ELSEWHERE}`,
  EPERM: `this account may not use it: ${ELSEWHERE}`,
  EROFS: "its file system is read-only: name another place",
  ENOTSUP: "its file system makes no folders: name another place",
  ENOENT: "there is no such file or folder: check the path",
  ENOTDIR: "a part of this path is a file, not a folder: check the path",
  EISDIR: "it is a folder: name a file",
  ERR_FS_EISDIR: "it is a folder: name a file",
  EEXIST: "it is there already: name another one, or remove it",
  ENOTEMPTY: "the folder is not empty: name another one, or empty it",
  ENOSPC: "the disk is full: free some space, and run the command again",
  EDQUOT: "this account's share of the disk is full: free some space, and run the command again",
  EIO: "it cannot be read or written: check the disk, or name another file",
  EMFILE: "too many open files: raise the limit (ulimit -n)",
  ELOOP: "its links lead in a circle: check the path",
  ENAMETOOLONG: "the name is too long: name another place",
  EADDRINUSE: "the port is taken: name another one",
  EADDRNOTAVAIL: "this machine does not have that address: name one of its own",
  ECONNREFUSED: "nothing listens there: check the address",
  ENOTFOUND: "there is no such host: check the address",
  EAI_AGAIN: "the name of the host cannot be resolved: check the address and the network",
};

/** Why the operating system refused a call, with the remedy; undefined for other errors. */
export function systemReason(error: unknown): string | undefined {
  const { syscall, code } = (error ?? {}) as { syscall?: unknown; code?: unknown };
  return typeof syscall === "string" && typeof code === "string" ? REASONS[code] : undefined;
}
