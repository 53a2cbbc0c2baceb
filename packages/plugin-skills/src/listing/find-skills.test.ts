import { describe, expect, it } from 'vitest';

import type { Skill } from '../finding/load-skills.ts';
import { describeFound } from './find-skills.ts';

function skillOf(name: string, description: string): Skill {
  const directory = `/s/${name}`;
  const path = `${directory}/SKILL.md`;
  return { name, description, allowedTools: [], revision: '1', source: '/s', directory, path };
}

const skills = [
  skillOf('pdf-forms', 'Fills in forms.'),
  skillOf('invoices', 'Makes a PDF of an invoice.'),
  skillOf('pdfkit', 'Draws pages.'),
  skillOf('cafe\u0301', 'Brews coffee.'),
  skillOf('請求書', '請求書をPDFにします。'),
];

const found = (words: string): string[] =>
  describeFound(skills, words, 'skill')
    .split('\n')
    .slice(1)
    .map((line) => line.replace(/^- (.*?):.*$/, '$1'));

describe('Finding skills by words', () => {
  it('puts those with more of the words first, and names before descriptions', () => {
    expect(found('PDF')).toEqual(['pdf-forms', 'pdfkit', 'invoices', '請求書']);
    expect(found('a pdf invoice')[0]).toBe('invoices');
    expect(found('café')).toEqual(['cafe\u0301']);
    expect(found('請求書')).toEqual(['請求書']);
  });

  it('shows twenty, and how many more there are', () => {
    const many = Array.from({ length: 25 }, (_, index) => skillOf(`n${index}`, 'x'.repeat(1000)));
    const text = describeFound(many, 'xxx', 'skill');
    expect(text.split('\n')).toHaveLength(22);
    expect(text).toContain('… and 5 more');
    expect(text.length).toBeLessThan(7000);
  });

  it.each(['', '!?', 'zebra'])('says that nothing fits %j', (words) => {
    expect(describeFound(skills, words, 'skill')).toContain('No skill fits');
  });
});
