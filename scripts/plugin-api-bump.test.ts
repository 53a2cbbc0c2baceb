import { describe, expect, it } from 'vitest';

import { neededBump, pluginApiRecord, recordFault } from './plugin-api-bump.ts';

const before = `// @shallot/core
export {
  ChatModel,
  RunInfo,
  definePlugin,
};

export interface ChatModel {
    readonly id: string;
    generate(request: Request): Promise<string>;
}

export declare function definePlugin(definition: object): object;

export interface RunInfo {
    readonly id: string;
    stop(): void;
}

export type Outcome = 'completed' | 'failed';
`;

describe('a change of the declarations of the plugin API', () => {
  it.each([
    ['no change at all', (api: string) => api, 'none', []],
    [
      'a new export',
      (api: string) =>
        api.replace('  RunInfo,\n', '  RunInfo,\n  Usage,\n').concat('\nexport type Usage = number;\n'),
      'minor',
      ['@shallot/core: Usage', 'Usage'],
    ],
    [
      'a member that the core gives',
      (api: string) => api.replace('    stop(): void;', '    stop(): void;\n    readonly step: number;'),
      'minor',
      ['RunInfo'],
    ],
    [
      'an optional member of what a plugin implements',
      (api: string) =>
        api.replace(
          '    readonly id: string;\n    gen',
          '    readonly id: string;\n    readonly limits?: object;\n    gen',
        ),
      'minor',
      ['ChatModel'],
    ],
    [
      'a member that plugins then have to implement',
      (api: string) =>
        api.replace(
          '    readonly id: string;\n    gen',
          '    readonly id: string;\n    close(): void;\n    gen',
        ),
      'major',
      ['ChatModel'],
    ],
    ['a removed member', (api: string) => api.replace('    stop(): void;\n', ''), 'major', ['RunInfo']],
    [
      'another parameter',
      (api: string) => api.replace('definition: object', 'definition: string'),
      'major',
      ['definePlugin'],
    ],
    [
      'another member of a union',
      (api: string) => api.replace("| 'failed'", "| 'failed' | 'aborted'"),
      'major',
      ['Outcome'],
    ],
    [
      'a removed export',
      (api: string) => api.replace('  RunInfo,\n', ''),
      'major',
      ['@shallot/core: RunInfo'],
    ],
  ] as const)('that is %s', (_, change, kind, names) => {
    expect(neededBump(before, change(before))).toEqual({ kind, names });
  });
});

describe('a released plugin API', () => {
  const added = before.replace('    stop(): void;', '    stop(): void;\n    readonly step: number;');
  const removed = before.replace('    stop(): void;\n', '');

  it.each([
    ['1.0.0', '1.0.0', before, undefined],
    ['1.0.0', '1.0.0', added, 'is added to without a new version: RunInfo. Raise pluginApi to 1.1.0.'],
    ['1.0.0', '1.1.0', added, undefined],
    ['1.0.0', '1.0.1', added, 'Raise pluginApi to 1.1.0.'],
    ['1.0.0', '2.0.0', added, undefined],
    [
      '1.4.0',
      '1.5.0',
      removed,
      'RunInfo. Raise pluginApi to 2.0.0, and say in the table of plugins/dropped.ts what authors write instead.',
    ],
    ['1.4.0', '2.0.0', removed, undefined],
  ])('%s may become %s by a change that such a version may have', (old, now, after, fault) => {
    const found = recordFault(pluginApiRecord(old, before), pluginApiRecord(now, after));
    expect(found === undefined ? undefined : found.slice(found.indexOf(fault ?? ''))).toBe(fault);
  });
});
