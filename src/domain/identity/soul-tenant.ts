/** The tenant that an agent's own key acts for: `soul:` and the number of its passport. */

/** How every such tenant begins. */
export const SOUL = "soul:";

export const soulTenant = (sx_number: number): string => SOUL + sx_number;

/** The passport's number; undefined of any other tenant. */
export function sxOfTenant(tenant: string): number | undefined {
  const number = /^soul:(\d+)$/.exec(tenant)?.[1];
  return number === undefined ? undefined : Number(number);
}
