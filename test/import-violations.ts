/** Checks a source file's imports against the table of layers, by its syntax tree. */
import { parseAst } from "vitest/node";
import { pure } from "../layers.ts";
import { type Breach, breachOf, type Import, layerOf } from "../src/domain/evolution/import-rules.ts";

/** The only file that may read process.env. */
const ENVIRONMENT_READER = "src/main.ts";

/** Globals with time, randomness or the outside world. */
const IMPURE = new Set([
  "console",
  "crypto",
  "fetch",
  "globalThis",
  "performance",
  "process",
  "setImmediate",
  "setInterval",
  "setTimeout",
]);

/** A source file's violations of its layer, one sentence each. */
export function violationsOf(path: string, source: string): string[] {
  const layer = layerOf(path);
  if (layer === undefined) return [`${path} belongs to no layer: put it in one, or add a row to layers.ts`];
  const found: string[] = [];
  for (const wanted of importsOf(source)) {
    const breach = breachOf(path, layer, wanted);
    if (breach) found.push(sentence(path, layer, wanted.specifier, breach));
  }
  visit(treeOf(source), (node, parent) => {
    if (path !== ENVIRONMENT_READER && readsEnvironment(node))
      found.push(
        `${path} reads process.env; only ${ENVIRONMENT_READER} may: take the setting as an argument`,
      );
    const impure = pure.includes(layer) && impurityOf(node, parent);
    if (impure) found.push(`${path} uses ${impure}; ${layer} takes time and chance as arguments`);
  });
  return found;
}

function sentence(
  path: string,
  layer: string,
  specifier: string,
  { target, source, allowed }: Breach,
): string {
  if (source === undefined) return `${path} imports ${specifier}, which belongs to no layer`;
  if (allowed === "types") return `${path} may import only types of ${source}: write \`import type\``;
  if (allowed === "no chance") return `${path} may import no random numbers from ${source}`;
  return `${path} imports ${target ?? source}, and ${layer} may not import ${source}`;
}

type Node = { type: string; [field: string]: unknown };

const treeOf = (source: string): Node => parseAst(source, { lang: "ts" }) as unknown as Node;

const importsBySource = new Map<string, (Import & { in_type: boolean })[]>();

/** The imports of a source text by its syntax tree; `in_type`: made within a type, as `import("…").Name`. Each text is read once. */
export function importsOf(source: string): (Import & { in_type: boolean })[] {
  const known = importsBySource.get(source);
  if (known) return known;
  const found: (Import & { in_type: boolean })[] = [];
  visit(treeOf(source), (node) => {
    const wanted = importOf(node);
    if (wanted) found.push({ ...wanted, in_type: node.type === "TSImportType" });
  });
  importsBySource.set(source, found);
  return found;
}

const isNode = (value: unknown): value is Node =>
  typeof value === "object" && value !== null && "type" in value && typeof value.type === "string";

function visit(node: Node, look: (node: Node, parent: Node | undefined) => void, parent?: Node): void {
  look(node, parent);
  for (const child of Object.values(node).flat()) if (isNode(child)) visit(child, look, node);
}

/** The import a node makes: a declaration, a re-export, `import()` or an import in a type. */
function importOf(node: Node): Import | undefined {
  if (!isNode(node.source)) return undefined;
  const computed = node.source.type !== "Literal";
  const specifier = computed ? "(computed)" : String(node.source.value);
  const specifiers = (node.specifiers ?? []) as Node[];
  const kinds = [node.importKind, node.exportKind];
  const named = specifiers.filter((s) => s.importKind !== "type" && s.exportKind !== "type");
  const types =
    kinds.includes("type") || node.type === "TSImportType" || (specifiers.length > 0 && named.length === 0);
  // A namespace, a default and a dynamic import use the whole module.
  const names = named.map((s) => identifier(s.type === "ExportSpecifier" ? s.local : s.imported) ?? "*");
  return { specifier, types, names: names.length === 0 ? ["*"] : names };
}

const identifier = (value: unknown): string | undefined =>
  isNode(value) && value.type === "Identifier" ? String(value.name) : undefined;

/** The name after the dot, or the text in the brackets. */
const property = (node: Node): string | undefined =>
  node.computed
    ? isNode(node.property)
      ? String(node.property.value)
      : undefined
    : identifier(node.property);

function readsEnvironment(node: Node): boolean {
  if (node.type === "MemberExpression")
    return identifier(node.object) === "process" && property(node) === "env";
  return node.type === "VariableDeclarator" && identifier(node.init) === "process";
}

function impurityOf(node: Node, parent: Node | undefined): string | undefined {
  if (node.type === "MemberExpression") {
    const text = `${identifier(node.object)}.${property(node)}`;
    return text === "Date.now" || text === "Math.random" ? text : undefined;
  }
  if (node.type === "NewExpression" || node.type === "CallExpression") {
    const isNow = node.type === "CallExpression" || (node.arguments as unknown[]).length === 0;
    return identifier(node.callee) === "Date" && isNow ? "the present Date" : undefined;
  }
  const name = identifier(node);
  const isFieldName = parent && !parent.computed && (parent.property === node || parent.key === node);
  return name !== undefined && IMPURE.has(name) && !isFieldName ? name : undefined;
}
