/** A synthetic list for the sandbox: its names are made up, and a note in each programme says so. */
import type { ListEntry } from "../../domain/sanctions/list-entry.ts";

const PROGRAM = "INVENTED";

export function inventedListed(): ListEntry[] {
  const entry = (
    entry_id: string,
    kind: ListEntry["kind"],
    names: string[],
    more: Partial<ListEntry> = {},
  ): ListEntry => ({
    entry_id,
    reference: `INV.${entry_id.slice(-3)}`,
    kind,
    names: names.map((name, at) => ({ name, quality: at === 0 ? "primary" : "strong" })),
    born: [],
    countries: [],
    programs: [PROGRAM],
    ...more,
  });
  return [
    entry("900001", "entity", ["MERKUR-ORLOV TRADING HOUSE OOO", "Меркур-Орлов Торговый Дом"], {
      countries: ["Ruritania"],
    }),
    entry("900002", "person", ["ZUBAREV, Timofey Arkadyevich", "Тимофей Аркадьевич Зубарев"], {
      born: [1969],
      countries: ["Ruritania"],
    }),
    entry("900003", "person", ["AL-HADDARI, Yusuf Salim", "يوسف سليم الهداري"], { born: [1974, 1975] }),
    entry("900004", "vessel", ["NORTH LANTERN"], { countries: ["Syldavia"] }),
    entry("900005", "entity", ["Banco Mercantil de Santa Eulária, S.A."], { countries: ["San Lorenzo"] }),
    entry("900006", "person", ["PAPADIMITRAKIS, Stavros Ioannis", "Σταύρος Παπαδημητράκης"], {
      born: [1981],
    }),
    entry("900007", "aircraft", ["RX-LNT"], { countries: ["Syldavia"] }),
  ];
}
