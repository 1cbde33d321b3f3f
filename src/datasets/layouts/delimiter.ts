/** A file's delimiter: the one that makes most cells of its header. */
export const delimiterOf = (header: string): string =>
  [",", ";", "\t"].reduce((best, one) => (header.split(one).length > header.split(best).length ? one : best));
