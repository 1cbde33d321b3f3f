/** The world's countries as paths in Equal Earth (Šavrič, Patterson, Jenny 2018), from Natural Earth's 1:110m. */
import world from "world-atlas/countries-110m.json";

type Point = [number, number];
type Geometry = { type: string; id?: string; properties: { name: string }; arcs: number[][] | number[][][] };
type Topology = {
  transform: { scale: Point; translate: Point };
  arcs: Point[][];
  objects: { countries: { geometries: Geometry[] } };
};

export type Country = { code: string | undefined; name: string; path: string };

/** In the drawing's units. */
export const [WIDTH, HEIGHT] = [1_000, 480];

const { transform, arcs, objects } = world as unknown as Topology;
const [A1, A2, A3, A4] = [1.340264, -0.081106, 0.000893, 0.003796];
const RADIANS = Math.PI / 180;
/** Without Antarctica, which trades nothing. */
const ANTARCTICA = "010";

function projected([longitude, latitude]: Point): Point {
  const t = Math.asin((Math.sqrt(3) / 2) * Math.sin(latitude * RADIANS));
  const t2 = t * t;
  const t6 = t2 ** 3;
  const slope = A1 + 3 * A2 * t2 + t6 * (7 * A3 + 9 * A4 * t2);
  const x = ((2 / Math.sqrt(3)) * longitude * RADIANS * Math.cos(t)) / slope;
  const y = t * (A1 + A2 * t2 + t6 * (A3 + A4 * t2));
  return [WIDTH * (0.5 + x / 5.42), HEIGHT * (0.515 - y / 2.6)];
}

/** TopoJSON: an arc's points are differences of whole numbers. */
const decoded = arcs.map((arc) => {
  let [x, y] = [0, 0];
  return arc.map(([dx, dy]): Point => {
    x += dx;
    y += dy;
    const { scale, translate } = transform;
    return [x * scale[0] + translate[0], y * scale[1] + translate[1]];
  });
});

/** A ring that crosses the antimeridian goes on beyond it, so that no line runs back over the whole map. */
function unwrapped(ring: Point[]): Point[] {
  let turn = 0;
  return ring.map(([longitude, latitude], at): Point => {
    const before = ring[at - 1]?.[0] ?? longitude;
    if (Math.abs(longitude - before) > 180) turn += longitude < before ? 360 : -360;
    return [longitude + turn, latitude];
  });
}

const ringOf = (ring: number[]): Point[] =>
  ring.flatMap((at, n) => {
    const arc = at < 0 ? decoded[~at]!.toReversed() : decoded[at]!;
    return n === 0 ? arc : arc.slice(1);
  });

const pathOf = (ring: Point[]) => `M${ring.map(([x, y]) => `${x.toFixed(1)},${y.toFixed(1)}`).join("L")}Z`;

function countryOf({ type, id, properties, arcs: own }: Geometry): Country {
  const polygons = (type === "Polygon" ? [own] : own) as number[][][];
  const rings = polygons.flatMap((polygon) => polygon.map((ring) => unwrapped(ringOf(ring)).map(projected)));
  return { code: codeOf(id), name: properties.name, path: rings.map(pathOf).join("") };
}

/** ISO's two letters by M49 number, from the browser's CLDR. Comext writes XS for Serbia and XK for Kosovo. */
function codeOf(id: string | undefined): string | undefined {
  if (id === undefined) return undefined;
  const code = new Intl.Locale(`und-${id}`).region;
  return code === "RS" ? "XS" : code;
}

export const countries: Country[] = objects.countries.geometries
  .filter(({ id }) => id !== ANTARCTICA)
  .map(countryOf)
  .map((country) => (country.name === "Kosovo" ? { ...country, code: "XK" } : country));
