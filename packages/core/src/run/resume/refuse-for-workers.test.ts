import { describe, expect, it } from 'vitest';

import { runRecord } from '../../../../testing/src/store/store-samples.ts';
import type { ConfiguredPlugins, RunRecord } from '../../contract/store.ts';
import type { AgentParts } from '../agent-parts.ts';
import { refuseForWorkers } from './refuse-for-workers.ts';

const audit = (version?: string): ConfiguredPlugins => ({
  audit: { name: 'audit', ...(version !== undefined && { version }) },
});

/** Refuses a running run with these members, which began with `plugins`, in an agent with the plugins `here`. */
function refuse(
  { plugins = {}, ...members }: Partial<RunRecord>,
  here: ConfiguredPlugins = {},
  isAdmitted = true,
): void {
  const parts = { host: { record: here } } as AgentParts;
  const run = { ...runRecord('r', 'running'), step: 3, ...members };
  refuseForWorkers(parts, { sessionId: 's', run, plugins }, isAdmitted);
}

describe('a worker', () => {
  it.each<[string, Partial<RunRecord>, ConfiguredPlugins]>([
    ['a run without attempts', {}, {}],
    ['a run before its last attempt', { attempts: { count: 2, deaths: 9, notBefore: 0 } }, {}],
    ['a run with its plugins', { plugins: audit('1.2.0') }, audit('1.2.0')],
    ['a run that began with an older plugin', { plugins: audit('1.2.0') }, audit('1.3.0')],
    [
      'a run that has not begun, after one with a plugin',
      { plugins: audit(), submitted: { isNew: true } },
      {},
    ],
    ['a run of a plugin that had no version', { plugins: audit() }, audit('1.0.0')],
    ['a run of a plugin that has no version here', { plugins: audit('1.2.0') }, audit()],
    ['a run with records of the core', { plugins: { core: { name: 'core' }, tool: { name: 'tool' } } }, {}],
  ])('takes %s', (_, run, plugins) => {
    expect(() => refuse(run, plugins)).not.toThrow();
  });

  it.each<[string, Partial<RunRecord>, object]>([
    ['is parked', { parked: true }, { code: 'SESSION_NOT_RESUMABLE' }],
    [
      'failed three times at one step',
      { attempts: { count: 3, notBefore: 0 } },
      {
        code: 'RUN_STUCK',
        message: 'The run of session "s" was resumed 3 times in a row without reaching another step than 3.',
      },
    ],
    [
      'ended ten processes at one step',
      {
        attempts: { count: 1, deaths: 10, notBefore: 0 },
        failure: { code: 'MODEL_FAILED', message: 'the line is dead' },
      },
      {
        code: 'RUN_STUCK',
        message:
          'The run of session "s" was resumed 11 times in a row without reaching another step than 3; in 10 of these cases the process died. The last error: the line is dead',
      },
    ],
    [
      'began with a plugin that is gone',
      { plugins: audit('1.2.0') },
      {
        code: 'PLUGIN_GONE',
        plugin: 'audit',
        message: 'The run of session "s" began with the plugin audit 1.2.0, which is not configured here.',
      },
    ],
  ])('leaves a run that %s', (_, run, error) => {
    expect(() => refuse(run)).toThrow(expect.objectContaining(error));
  });

  it('leaves a run whose plugin is older here', () => {
    expect(() => refuse({ plugins: audit('1.2.0') }, audit('1.1.9'))).toThrow(
      expect.objectContaining({
        code: 'PLUGIN_INCOMPATIBLE',
        plugin: 'audit',
        message: 'The run of session "s" began with the plugin audit 1.2.0; here it has version 1.1.9.',
      }),
    );
  });

  it('waits with a run that is not admitted', () => {
    expect(() => refuse({ attempts: { count: 0, deaths: 2, notBefore: 0 } }, {}, false)).toThrow(
      expect.objectContaining({
        code: 'SESSION_BUSY',
        transient: true,
        message:
          'The run of session "s" was at work when 2 workers died. It waits until another such run has gone on.',
      }),
    );
  });
});
