import { estimateTokens } from '@shallot/core/plugin';
import { describe, expect, it } from 'vitest';

import type { Skill } from '../finding/load-skills.ts';
import { renderSkillList, type SkillList } from './skill-list.ts';

const options = { sources: ['/skills'], toolName: 'skill' };

/** Skills with descriptions of these lengths. */
function skillsOf(count: number, lengthOf: (index: number) => number = () => 300): Skill[] {
  return Array.from({ length: count }, (_, index) => {
    const name = `skill-number-${index}`;
    const directory = `/skills/group/${name}`;
    const description = `Does ${index} & more. `.repeat(60).slice(0, lengthOf(index));
    const path = `${directory}/SKILL.md`;
    return { name, description, allowedTools: [], revision: '1', source: '/skills', directory, path };
  });
}

/** Returns the stage of a list, from the most detailed to the least. */
function stageOf({ text, names, cutTo, undescribed, unnamed }: SkillList): string {
  if (undescribed !== undefined) return 'some descriptions';
  if (unnamed !== undefined) return 'some names';
  if (cutTo === 0) return names === undefined ? 'names' : 'names and enum';
  if (cutTo !== undefined) return 'short descriptions';
  return text.includes('<path>') ? 'all' : 'descriptions';
}

const sizeOf = ({ text, names }: SkillList): number =>
  text.length + (names === undefined ? 0 : JSON.stringify(names).length);

describe('A list of skills', () => {
  it('leaves out paths, the length of descriptions, descriptions, the enum and names, in this order', () => {
    const skills = skillsOf(60);
    const stages: string[] = [];
    for (let maxChars = 40_000; maxChars >= 1000; maxChars -= 100) {
      const list = renderSkillList(skills, options, { maxChars });
      expect(sizeOf(list)).toBeLessThanOrEqual(maxChars);
      const stage = stageOf(list);
      if (stages.at(-1) !== stage) stages.push(stage);
    }
    expect(stages).toEqual([
      'all',
      'descriptions',
      'short descriptions',
      'some descriptions',
      'names and enum',
      'names',
      'some names',
    ]);
  });

  it('leaves no room unused between short descriptions and names', () => {
    const skills = skillsOf(300, (index) => (index % 3 === 0 ? 10 : 200));
    const used = Array.from({ length: 40 }, (_, index) => {
      const maxChars = 7000 + index * 300;
      const list = renderSkillList(skills, options, { maxChars });
      return { maxChars, list, left: maxChars - sizeOf(list) };
    }).filter(({ list }) => stageOf(list) === 'some descriptions');
    expect(used.length).toBeGreaterThan(20);
    for (const { list, left } of used) {
      expect(left).toBeGreaterThanOrEqual(0);
      expect(left).toBeLessThan(40);
      const described = list.text.match(/<skill name=/g)?.length ?? 0;
      expect(described).toBe(300 - (list.undescribed ?? 0));
      // Short ones come first.
      expect(list.text.includes('…</skill>')).toBe(described > 100);
    }
  });

  it('uses its room as long as something is cut', () => {
    for (const count of [100, 225, 460, 500, 700]) {
      const list = renderSkillList(skillsOf(count), options, { maxChars: 40_000 });
      expect(stageOf(list)).toBe('short descriptions');
      expect(sizeOf(list)).toBeGreaterThan(38_000);
    }
  });

  it('keeps short descriptions whole, and cuts long ones evenly', () => {
    const skills = skillsOf(40, (index) => (index % 2 === 0 ? 60 : 900));
    const { text, cutTo = 0 } = renderSkillList(skills, options, { maxChars: 20_000 });
    const shown = [...text.matchAll(/<skill name="[^"]*">(.*?)<\/skill>/gs)].map(([, found = '']) => found);
    expect(shown).toHaveLength(40);
    expect(cutTo).toBeGreaterThan(300);
    expect(shown.map((description) => description.endsWith('…'))).toEqual(
      skills.map((_, index) => index % 2 === 1),
    );
    const cut = shown.filter((description) => description.endsWith('…')).map(({ length }) => length);
    expect(Math.min(...cut)).toBeGreaterThan(cutTo * 0.85);
  });

  it.each([2000, 8000, 32_000, 200_000, 1_000_000])(
    'takes at most 5 percent of a context of %i tokens, the names that the tool takes included',
    (contextTokens) => {
      for (const count of [1, 10, 200, 2000]) {
        const maxTokens = contextTokens * 0.05;
        const list = renderSkillList(skillsOf(count), options, { maxTokens, count: estimateTokens });
        const used = estimateTokens(list.text) + estimateTokens(JSON.stringify(list.names ?? []));
        // The sentence about skills is always there, and says how many there are.
        const isLeast = list.unnamed === count && list.text.includes(`… and ${count} more`);
        expect(used <= maxTokens || isLeast).toBe(true);
        expect(isLeast).toBe(contextTokens === 2000);
      }
    },
  );

  it('names no more in the schema than providers take', () => {
    const budget = { maxChars: 1_000_000 };
    expect(renderSkillList(skillsOf(250), options, budget).names).toHaveLength(250);
    expect(renderSkillList(skillsOf(251), options, budget).names).toBeUndefined();
  });
});
