import { describe, expect, it } from 'vitest';

import { foreignTools, isOnlyForeign, toolsHere } from './foreign-tools.ts';

describe('toolsHere', () => {
  it('finds the tools that a name of Claude Code stands for', () => {
    expect(
      ['Read', 'MultiEdit', 'Agent', 'mcp__github', 'mcp__github__get_issue'].flatMap((name) =>
        toolsHere(name),
      ),
    ).toEqual(['read_file', 'edit_file', 'task', 'github_*', 'github_get_issue']);
  });

  it('finds none for names of the project, and for tools that are only there', () => {
    expect(['read_file', 'WebSearch', 'constructor'].flatMap((name) => toolsHere(name))).toEqual([]);
    expect(['WebSearch', 'Read', 'read_file'].map(isOnlyForeign)).toEqual([true, false, false]);
    const names = Object.values(foreignTools).map(({ name }) => name);
    expect(names.filter(isOnlyForeign)).toEqual([]);
  });
});
