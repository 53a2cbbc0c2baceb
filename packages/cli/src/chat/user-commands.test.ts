import type { UserCommand } from '@shallot/core/plugin';
import { describe, expect, it } from 'vitest';

import { userCommandIn, userCommandName } from './user-commands.ts';

const commandOf = (name: string): UserCommand => ({
  name,
  kind: 'skill',
  about: '',
  input: (text) => text,
});
const commands = ['deploy', 'deploy all', 'help'].map(commandOf);
const taken = ['/help', '/quit'];

describe('Commands of plugins', () => {
  it('are called by their names, and by the kind and the name where that is taken', () => {
    expect(commands.map((command) => userCommandName(command, taken))).toEqual([
      '/deploy',
      '/deploy all',
      '/skill:help',
    ]);
  });

  it.each([
    ['/deploy', 'deploy', ''],
    ['/deploy  to the\nmoon ', 'deploy', 'to the\nmoon'],
    ['/deploy all now', 'deploy all', 'now'],
    ['/skill:deploy x', 'deploy', 'x'],
    ['/skill:help me', 'help', 'me'],
  ])('are found in %j', (text, name, rest) => {
    const called = userCommandIn(text, commands, taken);
    expect([called?.command.name, called?.text]).toEqual([name, rest]);
  });

  it.each(['/deployment', '/help', '/skill:other', 'deploy', '/'])('are not found in %j', (text) => {
    expect(userCommandIn(text, commands, taken)).toBeUndefined();
  });
});
