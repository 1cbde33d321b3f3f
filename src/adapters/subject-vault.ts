/** The Subjects port: keys of subjects in a database of their own, each wrapped by the master key. */
import { type Subjects, SubjectsUnavailable } from "../domain/ports.ts";

/** Where no vault is given: nothing is sealed, and nothing opens. */
export function absentSubjects(): Subjects {
  const refuse = async () => {
    throw new SubjectsUnavailable("there is no vault of personal data: set SUBJECT_KEYS_URL");
  };
  return { seal: refuse, open: refuse, find: refuse, erase: refuse, backup_days: 0 };
}
