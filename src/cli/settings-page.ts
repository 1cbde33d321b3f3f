/** docs/settings.md: every setting under its own heading, by group. Generated from .env.example; edit that file. */

const INTRO = `# Settings

Every setting is an environment variable; an empty one has its default. \`npm start\`, every \`tallystick\` command and
\`docker compose\` read the file \`.env\` of the folder that they start in; a variable of the environment comes first. Copy
\`.env.example\`, from which \`npm run docs\` makes this page.
`;

/** The page from the text of .env.example, which explains each setting above it. */
export const settingsPage = (example: string): string =>
  [INTRO, ...example.split(/\n{2,}/).flatMap(settingOf)].join("\n");

function settingOf(block: string): string[] {
  const [, group] = /^# == (.+) ==$/.exec(block) ?? [];
  if (group !== undefined) return [`## ${group}`, ""];
  const [, name, value] = /^([A-Z][A-Z_]*)=(.*)$/m.exec(block) ?? [];
  if (name === undefined) return [];
  const meaning = block
    .split("\n")
    .filter((line) => line.startsWith("#"))
    .map((line) => line.replace(/^# ?/, ""));
  return [`### ${name}`, "", ...meaning, "", value ? `Default: \`${value}\`.` : "Empty by default.", ""];
}
