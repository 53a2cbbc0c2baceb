import { describe, expect, it } from 'vitest';

import { ShallotError } from '../base/errors.ts';
import { callMatcherKey } from '../contract/permissions/call-matcher-key.ts';
import { approvalsKey } from '../contract/services/approvals.ts';
import { pluginStatusKey } from '../contract/services/plugin-status.ts';
import { redactionKey } from '../contract/services/redaction.ts';
import { shorteningKey } from '../contract/services/shortening.ts';
import { skillTextsKey } from '../contract/services/skill-texts.ts';
import { timeLimitKey } from '../contract/services/time-limit.ts';
import { toolServersKey } from '../contract/services/tool-servers.ts';
import { userCommandsKey } from '../contract/services/user-command.ts';
import { Services } from './services.ts';

/** Services of the plugins a, b, … in this order, beside one under another kind of key. */
function provide(key: (plugin: string) => { readonly name: string }, ...services: unknown[]): Services {
  const all = new Services();
  all.provide('acme/other', {}, 'other');
  for (const [index, service] of services.entries()) {
    const plugin = String.fromCodePoint(97 + index);
    all.provide(key(plugin).name, service, plugin);
  }
  return all;
}

const run = {} as never;

describe('the services of an agent', () => {
  it('are found by their keys until they are withdrawn', () => {
    const services = new Services();
    const withdraw = services.provide('one', 1, 'a');
    services.provide('two', 2, 'b');
    services.provide('three', 3, 'a');
    expect(services.get({ name: 'one' })).toBe(1);
    expect(services.get({ name: 'none' })).toBeUndefined();
    expect([services.providedBy('a'), services.providedBy('c')]).toEqual([['one', 'three'], []]);
    withdraw();
    expect(services.get({ name: 'one' })).toBeUndefined();
    expect(services.providedBy('a')).toEqual(['three']);
  });

  it('have one provider for a key', () => {
    const services = provide(timeLimitKey, {});
    expect(() => services.provide('acme/other', {}, 'b')).toThrow(
      expect.objectContaining({
        code: 'SERVICE_DUPLICATE',
        plugin: 'b',
        message: 'b and other both provide the service "acme/other". Remove one of them.',
      }),
    );
  });

  it('limit and shorten child runs alone if their plugin is for these alone', () => {
    const services = new Services();
    services.provide(timeLimitKey('a').name, { left: () => 5 }, 'a', true);
    services.provide(shorteningKey('a').name, { shortens: () => true }, 'a', true);
    const child = { parent: {} } as never;
    expect([services.timeLeft(run), services.shortens(run)]).toEqual([Infinity, false]);
    expect([services.timeLeft(child), services.shortens(child)]).toEqual([5, true]);
  });

  it('give the text of a skill that one of them has for a run', async () => {
    const services = provide(
      skillTextsKey,
      { read: async () => undefined },
      { read: async (_: unknown, name: string) => (name === 'tea' ? 'Boil water.' : undefined) },
    );
    expect(await services.skillText(run, 'tea')).toBe('Boil water.');
    expect(await services.skillText(run, 'cake')).toBeUndefined();
  });

  it('list the commands of all plugins', async () => {
    const command = (name: string) => ({ name, kind: 'skill', about: '', input: () => '' });
    const services = provide(
      userCommandsKey,
      { list: () => [command('one')] },
      { list: async () => [command('two'), command('three')] },
    );
    expect((await services.userCommands(run)).map(({ name }) => name)).toEqual(['one', 'two', 'three']);
  });

  it('tell who asks about the calls of a tool', () => {
    const services = provide(
      approvalsKey,
      { asksAbout: (tool: string) => tool === 'shell' },
      { asksAbout: () => true },
    );
    expect([services.askedBy('shell'), services.askedBy('read')]).toEqual([['a', 'b'], ['b']]);
  });

  it('list matchers of calls', () => {
    const matcher = { subjects: [] };
    expect(provide(callMatcherKey, matcher).matchers).toEqual([matcher]);
    expect(new Services().matchers).toEqual([]);
  });

  it('have the strictest of all time limits', () => {
    expect(provide(timeLimitKey, { left: () => 7 }, { left: () => 3 }).timeLeft(run)).toBe(3);
    expect(provide(timeLimitKey).timeLeft(run)).toBe(Infinity);
  });

  it('shorten a request if one of them does', () => {
    const shortens = (...each: boolean[]): boolean =>
      provide(shorteningKey, ...each.map((does) => ({ shortens: () => does }))).shortens(run);
    expect([shortens(false, true), shortens(false), shortens()]).toEqual([true, false, false]);
  });

  it('know the server of a tool, whichever plugin has it', () => {
    const server = { server: 'github', tool: 'search' };
    const services = provide(
      toolServersKey,
      { serverOf: () => undefined },
      { serverOf: (tool: string) => (tool === 'github_search' ? server : undefined) },
    );
    expect(services.serverOf('github_search')).toBe(server);
    expect(services.serverOf('read')).toBeUndefined();
    expect(provide(toolServersKey).serverOf('github_search')).toBeUndefined();
  });

  it('redact for all plugins, or all but one', () => {
    const [first, second] = [{ text: () => '1' }, { text: () => '2' }];
    const services = provide(redactionKey, first, second);
    expect(services.redactions).toEqual([first, second]);
    expect(services.redactionsBut('a')).toEqual([second]);
    expect(services.redactionsBut('c')).toEqual([first, second]);
    expect(new Services().redactionsBut('a')).toEqual([]);
    const withdraw = services.provide(redactionKey('c').name, first, 'c');
    expect(services.redactions).toHaveLength(3);
    withdraw();
    expect(services.redactions).toHaveLength(2);
  });

  it('report the failures of work in the background', async () => {
    const own = new ShallotError('MODEL_EMPTY', { message: 'no answer', plugin: 'x' });
    const services = provide(
      pluginStatusKey,
      { lines: () => [] },
      { settled: () => Promise.reject(new Error('no route')) },
      { settled: () => Promise.resolve() },
      { settled: () => Promise.reject(own) },
    );
    expect(await services.settled()).toMatchObject([
      { code: 'PLUGIN_START_FAILED', plugin: 'b', message: 'no route', cause: new Error('no route') },
      { code: 'MODEL_EMPTY', plugin: 'd', message: 'no answer', cause: own },
    ]);
  });
});
