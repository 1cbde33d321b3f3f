/**
 * Reads the plain part of YAML that configuration needs: block mappings and lists of one-line scalars, indented by two.
 * Every scalar stays text. Throws on tabs, odd indentation, repeated keys, and whatever else it does not know.
 */
export type YamlMap = { [key: string]: Yaml };
export type Yaml = string | null | string[] | YamlMap;

type Line = { number: number; depth: number; text: string };

export function readYaml(source: string): Yaml {
  const lines = source.split("\n").flatMap((raw, index): Line[] => {
    if (/^\s*(#.*)?$/.test(raw)) return [];
    const [, indent, text] = /^((?: {2})*)(\S.*)$/.exec(raw) ?? [];
    if (indent === undefined || text === undefined || raw.includes("\t"))
      throw new Error(`line ${index + 1}: indent by two spaces`);
    return [{ number: index + 1, depth: indent.length / 2, text }];
  });
  const value = block(lines, 0);
  if (lines[0]) throw new Error(`line ${lines[0].number}: this belongs to nothing above`);
  return value;
}

/** Takes the lines of one depth, with what is below them, from the front. */
function block(lines: Line[], depth: number): Yaml {
  if (lines[0]?.depth !== depth) return null;
  if (lines[0].text.startsWith("- ")) {
    const items: string[] = [];
    while (lines[0]?.depth === depth) {
      const line = lines.shift()!;
      if (!line.text.startsWith("- ")) throw new Error(`line ${line.number}: the list needs \`- item\``);
      items.push(scalar(line, line.text.slice(2)));
    }
    return items;
  }
  const map: YamlMap = {};
  while (lines[0]?.depth === depth) {
    const line = lines.shift()!;
    const [, key, rest] = /^([\w.-]+):(?: (.+))?$/.exec(line.text) ?? [];
    if (key === undefined) throw new Error(`line ${line.number}: a mapping needs \`key: value\``);
    if (key in map) throw new Error(`line ${line.number}: ${key} stands twice`);
    map[key] = rest === undefined ? block(lines, depth + 1) : scalar(line, rest);
  }
  return map;
}

function scalar({ number }: Line, text: string): string {
  // Text in which YAML would see something else than itself.
  if (/^[&*!|>%@`"'[{]|: | #|:$/.test(text)) throw new Error(`line ${number}: ${text} is not plain text`);
  return text;
}
