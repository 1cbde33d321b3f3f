/** The ten major groups of ISCO-08 by their first digit; the short names are worded here. */
export const majorGroups: Readonly<Record<string, string>> = {
  "0": "Armed forces",
  "1": "Managers",
  "2": "Professionals",
  "3": "Technicians",
  "4": "Clerks",
  "5": "Service and sales workers",
  "6": "Skilled farm, forest and fishery workers",
  "7": "Craft workers",
  "8": "Machine operators and assemblers",
  "9": "Elementary workers",
};

export const majorGroupCodes = Object.keys(majorGroups);

/** Eurostat writes a major group as OC2; undefined for totals, finer groups and no answer. */
export const majorGroupOf = (isco08: string): string | undefined => /^OC(\d)$/.exec(isco08)?.[1];
