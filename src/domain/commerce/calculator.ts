/**
 * Fuel for a heating season, by a rule of thumb:
 *
 * kg of pellets = kw · 350 · desired_temp / 20 · heating_months / 6 · insulation
 *
 * 350 kg per kilowatt is the rule of the original shop; the factors are this service's. desired_temp counts from 0 °C,
 * the assumed mean of the season. Briquettes give the same heat by their own calorific value.
 */

export const insulations = ["poor", "average", "good", "excellent"] as const;
export type Insulation = (typeof insulations)[number];

export const INSULATION_FACTORS: Readonly<Record<Insulation, number>> = {
  poor: 1.3,
  average: 1,
  good: 0.8,
  excellent: 0.65,
};

/** Kilograms of pellets per kilowatt of the boiler, for six months at 20 °C. */
export const KG_PER_KW = 350;

/**
 * Net calorific values for products without one. Source: ISO 17225-2 and -3, the minimum of class A1: 16.5 and 15.5
 * MJ/kg.
 */
export const USUAL_KWH_PER_KG = { granulas: 4.6, briketes: 4.3 } as const;

/** The pack for products without one. */
export const USUAL_PACK = { kg_per_bag: 15, bags_per_pallet: 65 } as const;

export type HeatingNeed = {
  /** Power of the boiler. */
  kw: number;
  desired_temp: number;
  heating_months: number;
  insulation: Insulation;
};

/** Kilograms of pellets, not rounded. */
export const pelletsFor = ({ kw, desired_temp, heating_months, insulation }: HeatingNeed): number =>
  kw * KG_PER_KW * (desired_temp / 20) * (heating_months / 6) * INSULATION_FACTORS[insulation];

/** Kilograms of another fuel with the heat of `kg` of pellets; calorific values in kWh/kg. */
export const sameHeat = (kg: number, pellets_kwh_per_kg: number, kwh_per_kg: number): number =>
  (kg * pellets_kwh_per_kg) / kwh_per_kg;

/** Rounds up; tolerates binary fractions just above a whole number. */
export const wholeUp = (amount: number): number => Math.ceil(Math.round(amount * 1e6) / 1e6);
