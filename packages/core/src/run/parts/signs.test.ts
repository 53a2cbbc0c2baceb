import { expect, it } from 'vitest';

import { ShallotError } from '../../base/errors.ts';
import type { AgentEvent } from '../../contract/events.ts';
import type { Logger } from '../../log/logger.ts';
import { Signs } from './signs.ts';

const run = { runId: 'r', sessionId: 's' };

function newSigns(): { readonly signs: Signs; readonly events: AgentEvent[]; readonly logged: unknown[] } {
  const events: AgentEvent[] = [];
  const logged: unknown[] = [];
  const log = { warn: (...line: readonly unknown[]) => void logged.push(line) } as Partial<Logger>;
  return { signs: new Signs(log as Logger, run, (event) => void events.push(event)), events, logged };
}

it('a warning is logged and emitted, with its plugin', () => {
  const { signs, events, logged } = newSigns();
  signs.warn('A', 'of the core');
  signs.warn('B', 'of a plugin', 'audit');
  expect(events).toEqual([
    { type: 'warning', code: 'A', message: 'of the core' },
    { type: 'warning', code: 'B', message: 'of a plugin', plugin: 'audit' },
  ]);
  expect(logged).toEqual([
    [{ ...run, code: 'A', plugin: undefined }, 'of the core'],
    [{ ...run, code: 'B', plugin: 'audit' }, 'of a plugin'],
  ]);
});

it('an error that is reported is noted and a warning; one that is noted is only that', () => {
  const { signs, events, logged } = newSigns();
  const [noted, reported] = ['one', 'other'].map(
    (message) => new ShallotError('PLUGIN_FAILED', { message, plugin: 'audit' }),
  );
  if (noted === undefined || reported === undefined) throw new Error('there are two');
  signs.note(noted);
  expect(events).toEqual([]);
  signs.report(reported);
  expect(signs.errors).toEqual([noted, reported]);
  expect(events).toEqual([{ type: 'warning', code: 'PLUGIN_FAILED', message: 'other', plugin: 'audit' }]);
  expect(logged).toHaveLength(1);
});

it('a long wait names its plugin, if there is one', () => {
  const { signs, events, logged } = newSigns();
  signs.notice('Still waiting for it.', 'audit');
  signs.notice('Still waiting for it.', undefined);
  const warning = { type: 'warning', code: 'STILL_WAITING', message: 'Still waiting for it.' };
  expect(events).toEqual([{ ...warning, plugin: 'audit' }, warning]);
  expect(logged).toHaveLength(2);
});

it('after the end warnings are only logged, events of plugins dropped, and waits still reported', () => {
  const { signs, events, logged } = newSigns();
  signs.pluginEvent('audit', 'seen', { a: 1 });
  signs.end();
  signs.pluginEvent('audit', 'seen', { a: 2 });
  signs.warn('A', 'late');
  signs.notice('Still waiting for the store.', undefined);
  expect(events).toMatchObject([
    { type: 'plugin', plugin: 'audit', name: 'seen', data: { a: 1 } },
    { code: 'STILL_WAITING' },
  ]);
  expect(logged).toHaveLength(2);
});

it('an event of a plugin has to be JSON if anybody listens', () => {
  const { signs } = newSigns();
  expect(() => signs.pluginEvent('audit', 'seen', () => {})).toThrow(/the event "seen"/);
  const deaf = new Signs({ warn: () => {} } as Partial<Logger> as Logger, run, undefined);
  expect(() => deaf.pluginEvent('audit', 'seen', () => {})).not.toThrow();
});
