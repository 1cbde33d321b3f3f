/** Money of the shop is whole euro cents inside, decimal strings outside. Exchange rates are exact decimal strings. */

/** Cents as a decimal string: 12345 -> "123.45". */
export const decimalEuro = (cents: number): string => decimalOf(BigInt(cents), 2);

/** Smallest units as a decimal string with `places` decimals. */
function decimalOf(amount: bigint, places: number): string {
  if (places === 0) return String(amount);
  const digits = String(amount).padStart(places + 1, "0");
  return `${digits.slice(0, -places)}.${digits.slice(-places)}`;
}

/** The VAT rate in percent from basis points: 2100 -> "21". */
export const percentOf = (basis_points: number): string => String(basis_points / 100);

/** VAT on a net amount, rounded half up to whole cents. */
export const vatOf = (net_cents: number, vat_bp: number): number =>
  Number(halfUp(BigInt(net_cents) * BigInt(vat_bp), 10_000n));

export type Total = { net_cents: number; vat_cents: number; gross_cents: number };

export function totalOf(net_cents: number, vat_bp: number): Total {
  const vat_cents = vatOf(net_cents, vat_bp);
  return { net_cents, vat_cents, gross_cents: net_cents + vat_cents };
}

export type TaxedLine = { net_cents: number; vat_bp: number };

/** The total of several lines; their exact tax is rounded half up once. */
export function sumOf(lines: readonly TaxedLine[]): Total {
  const net_cents = lines.reduce((sum, line) => sum + line.net_cents, 0);
  const vat_cents = Number(
    halfUp(
      lines.reduce((sum, line) => sum + exactVat(line), 0n),
      10_000n,
    ),
  );
  return { net_cents, vat_cents, gross_cents: net_cents + vat_cents };
}

/**
 * The tax of each line in whole cents, which add up to `vat_cents`: each is rounded down, and the cents that are left go to the lines
 * with the largest remainders, of equal ones to the first.
 */
export function vatOfLines(lines: readonly TaxedLine[], vat_cents: number): number[] {
  const exact = lines.map(exactVat);
  const shares = exact.map((share) => Number(share / 10_000n));
  const left = vat_cents - shares.reduce((sum, share) => sum + share, 0);
  const byRemainder = lines
    .map((_, at) => at)
    .toSorted((a, b) => Number((exact[b]! % 10_000n) - (exact[a]! % 10_000n)));
  for (const at of byRemainder.slice(0, left)) shares[at]! += 1;
  return shares;
}

/** In ten-thousandths of a cent. */
const exactVat = ({ net_cents, vat_bp }: TaxedLine): bigint => BigInt(net_cents) * BigInt(vat_bp);

/** Cents to micro-USDC at `eur_usd` dollars per euro, rounded up; one USDC counts as one dollar. */
export function microUsdcOf(cents: number, eur_usd: string): number {
  const { digits, scale } = readDecimal(eur_usd);
  const micro = BigInt(cents) * digits * 10_000n;
  return Number((micro + scale - 1n) / scale);
}

/** Cents in another currency at `rate` units per euro, rounded half up to `places` decimals. */
export function converted(cents: number, rate: string, places: number): string {
  const { digits, scale } = readDecimal(rate);
  return decimalOf(halfUp(BigInt(cents) * digits * 10n ** BigInt(places), scale * 100n), places);
}

/** Decimals of a currency (ISO 4217, from CLDR): 2 of EUR, 0 of JPY. */
export const placesOf = (currency: string): number =>
  new Intl.NumberFormat("en", { style: "currency", currency }).resolvedOptions().maximumFractionDigits ?? 2;

/** "1.0832" as 10832 and 10000. */
function readDecimal(text: string): { digits: bigint; scale: bigint } {
  const [whole = "0", fraction = ""] = text.split(".");
  return { digits: BigInt(whole + fraction), scale: 10n ** BigInt(fraction.length) };
}

const halfUp = (value: bigint, by: bigint): bigint => (2n * value + by) / (2n * by);
