/** The tenant of an agent's own key: `soul:` and its passport's number. */

export const SOUL = "soul:";

export const soulTenant = (sx_number: number): string => SOUL + sx_number;

/** undefined = another kind of tenant. */
export function sxOfTenant(tenant: string): number | undefined {
  const number = /^soul:(\d+)$/.exec(tenant)?.[1];
  return number === undefined ? undefined : Number(number);
}
