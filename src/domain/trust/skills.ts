/** Splits each attestor's points over the agent's skills by remaining weight. */
import { decayed } from "./decay.ts";
import type { AttestationLine } from "./explain.ts";

/** A live attestation of the agent; days count from 1970-01-01. */
export type SkillAttestation = {
  from: number;
  skill: string;
  weight_micro: number;
  day: number;
  made_at: string;
};

/** `points` in micro-points; `attestors`: live ones of any weight; `newest`: the newest attestation. */
export type Skill = { skill: string; points: number; attestors: number; newest: string };

/** Sorted by points, then by name. */
export function skillsOf(
  words: readonly SkillAttestation[],
  lines: readonly Pick<AttestationLine, "from" | "points">[],
  day: number,
): Skill[] {
  const points = new Map(lines.map((line) => [line.from, line.points]));
  const left = (word: SkillAttestation) => decayed(word.weight_micro, day, word.day);
  const all = new Map<number, number>();
  for (const word of words) all.set(word.from, (all.get(word.from) ?? 0) + left(word));
  const skills = new Map<string, Skill>();
  for (const word of words) {
    const { skill, from, made_at } = word;
    const entry = skills.get(skill) ?? { skill, points: 0, attestors: 0, newest: made_at };
    const weights = all.get(from)!;
    skills.set(skill, {
      skill,
      points:
        entry.points + (weights === 0 ? 0 : Math.floor(((points.get(from) ?? 0) * left(word)) / weights)),
      attestors: entry.attestors + 1,
      newest: [entry.newest, made_at].sort().at(-1)!,
    });
  }
  return [...skills.values()].sort((a, b) => b.points - a.points || (a.skill < b.skill ? -1 : 1));
}
