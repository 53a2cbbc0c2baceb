import { describe, expect, it } from 'vitest';

import type { SourceLocation } from '../base/errors.ts';
import type { ReadyAgent } from '../contract/plugin.ts';
import { checkToolPatterns } from './check-tool-patterns.ts';

const tools = [{ name: 'read_file' }, { name: 'write_file' }] as unknown as ReadyAgent['tools'];
const providerTools = [{ id: 'openai.web_search', name: 'web_search', args: {} }];

function check(
  patterns: readonly string[],
  agent: object = {},
  locate?: (name: string) => SourceLocation | undefined,
): string[] {
  const warnings: string[] = [];
  const log = { warn: (_: object, message: string) => void warnings.push(message) } as never;
  checkToolPatterns(
    patterns,
    { tools, providerTools, ...agent },
    { plugin: 'hitl', what: 'The policy', log, locate },
  );
  return warnings;
}

describe('names of tools in options', () => {
  it('may be those of tools, and patterns', () => {
    expect(check(['read_file', 'write_*'], { providerTools: [] })).toEqual([]);
    expect(check(['*'], { providerTools: [], tools: [] })).toEqual([]);
  });

  it('are logged if they are patterns that fit no tool', () => {
    expect(check(['mcp_*'])).toEqual(['The policy names "mcp_*", which fits no tool']);
  });

  it.each([
    ['read_fil', {}, 'names the tool "read_fil", which does not exist. Did you mean "read_file"?'],
    ['zzzzzzzzz', {}, 'does not exist. The tools are: read_file, write_file.'],
    ['zzzzzzzzz', { tools: [] }, 'does not exist. The tools are: none.'],
  ])('are refused if there is no such tool: %s', (pattern, agent, message) => {
    expect(() => check([pattern], agent)).toThrow(
      expect.objectContaining({
        code: 'hitl/UNKNOWN_TOOL',
        message: expect.stringContaining(message) as string,
      }),
    );
  });

  it.each(['read_fil', 'web_search'])('are refused at their place in the config: %s', (pattern) => {
    const at = { file: 'a.yaml', line: 3 };
    expect(() => check([pattern], {}, (name) => (name === pattern ? at : undefined))).toThrow(
      expect.objectContaining({ at }),
    );
    expect(() => check([pattern], {}, () => undefined)).toThrow(expect.objectContaining({ at: undefined }));
  });

  it('are refused for tools of a provider, whose calls no plugin sees', () => {
    expect(() => check(['web_search'])).toThrow(
      expect.objectContaining({
        code: 'hitl/PROVIDER_TOOL',
        message: expect.stringContaining('The policy names "web_search", but the provider') as string,
      }),
    );
    expect(() => check(['web_*'])).toThrow('The policy names "web_*", which fits "web_search", but');
    expect(check(['*'])).toEqual([expect.stringContaining('The policy does not apply to "web_search"')]);
  });
});
