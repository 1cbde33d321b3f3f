/**
 * Skills for agents (agentskills.io), served by MCP's Skills extension. Each skill is a folder with one file,
 * SKILL.md.
 */
import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";

const FOLDER = join(import.meta.dirname, "skills");
const names = ["ask-trade-data", "pay-for-calls", "verify-answers"] as const;

export const SKILLS_EXTENSION = "io.modelcontextprotocol/skills";

type Frontmatter = { name: string; description: string };

/** An entry of `skills/list`, with the extension's member names. */
export type Skill = {
  uri: string;
  frontmatter: Frontmatter;
  resources: { uri: string; digest: string; size: number }[];
};

type SkillFile = { skill: Skill; text: string };

const rootOf = (name: string) => `skill://${name}`;
const uriOf = (name: string) => `${rootOf(name)}/SKILL.md`;

let made: Promise<SkillFile[]> | undefined;

function files(): Promise<SkillFile[]> {
  made ??= Promise.all(names.map(fileOf)).catch((error) => {
    made = undefined;
    throw error;
  });
  return made;
}

async function fileOf(name: string): Promise<SkillFile> {
  const bytes = await readFile(join(FOLDER, name, "SKILL.md"));
  const text = bytes.toString();
  const digest = `sha256:${createHash("sha256").update(bytes).digest("hex")}`;
  const uri = uriOf(name);
  return {
    text,
    skill: { uri, frontmatter: frontmatterOf(text), resources: [{ uri, digest, size: bytes.length }] },
  };
}

/** Reads only plain `name: value` lines; our files have no others. */
function frontmatterOf(text: string): Frontmatter {
  const [, lines = ""] = /^---\n([\s\S]*?)\n---\n/.exec(text) ?? [];
  const pairs = lines.split("\n").map((line) => {
    const at = line.indexOf(": ");
    return [line.slice(0, at), line.slice(at + 2)];
  });
  return Object.fromEntries(pairs) as Frontmatter;
}

export const skills = async (): Promise<Skill[]> => (await files()).map(({ skill }) => skill);

const MARKDOWN = "text/markdown";

const resourceOf = ({ uri, frontmatter: { name, description } }: Skill) => ({
  uri,
  name,
  description,
  mimeType: MARKDOWN,
});

export const skillResources = async () => (await skills()).map(resourceOf);

export async function skillAt(uri: string) {
  const found = (await files()).find(({ skill }) => skill.uri === uri);
  return found && { uri, mimeType: MARKDOWN, text: found.text };
}

/** Each skill's folder contains SKILL.md alone. */
export const skillFolderAt = async (uri: string) =>
  (await skills()).find(({ frontmatter: { name } }) => rootOf(name) === uri);

export const childrenOf = (skill: Skill) => [{ ...resourceOf(skill), name: "SKILL.md" }];
