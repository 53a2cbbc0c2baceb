import { expect, it } from 'vitest';

import { makeProject } from '../../test/test-project.ts';
import { loadConfig } from './load-config.ts';
import { unknownChoice } from './unknown-choice.ts';

it.each([
  ['auto', ['look'], []],
  ['{ tool: look }', ['look', 'read'], []],
  ['{ tool: lok }', ['look', 'read'], ['Did you mean "look"?']],
  ['{ tool: edit }', ['look', 'read'], ['The tools are: look, read.']],
  ['{ tool: edit }', [], ['The tools are: none.']],
])(
  'a choice of %s among the tools %j is warned of if there is no such tool',
  async (choice, tools, advice) => {
    const project = makeProject({ 'shallot.config.yaml': `settings: { toolChoice: ${choice} }\n` });
    const { merged } = await loadConfig({ cwd: project.directory });
    const warnings = unknownChoice(merged, tools);
    expect(warnings.map(({ message }) => message.replace(/^.*does not have\. /, ''))).toEqual(advice);
    expect(warnings.map(({ code, at }) => [code, at?.line, at?.column])).toEqual(
      advice.map(() => ['CONFIG_UNUSED', 1, 33]),
    );
  },
);
