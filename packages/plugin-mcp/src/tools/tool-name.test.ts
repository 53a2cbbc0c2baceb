import { describe, expect, it } from 'vitest';

import { isTaken, toolNameFor } from './tool-name.ts';

describe('the name of a tool', () => {
  it.each([
    ['github', 'create_issue', 'github_create_issue'],
    ['a', 'with spaces/and:signs', 'a_with_spaces_and_signs_312e2c97'],
    ['s', 'x'.repeat(62), `s_${'x'.repeat(62)}`],
    ['s', 'x'.repeat(300), `s_${'x'.repeat(53)}_a3c2d06a`],
    ['my server', 'look', 'my_server_look_cfe3a564'],
    ['s', 'größe', 's_gr__e_8540254f'],
    ['s', '👋', 's___015aec47'],
  ])('is SERVER_TOOL, cut and with a digest where it must be: %s, %s', (server, tool, name) => {
    expect(toolNameFor(server, tool)).toBe(name);
  });

  it('differs for tools that differ in what is cut off', () => {
    const long = 'x'.repeat(300);
    expect(toolNameFor('s', `${long}a`)).not.toBe(toolNameFor('s', `${long}b`));
  });

  it.each([
    [{ look: 'see' }, 'look', 'see'],
    [{ 'read_*': 'notes_*' }, 'read_all', 'notes_all'],
    [{ '*': '*' }, 'look', 'look'],
    [{ '*_file': 'file_*' }, 'read_file', 'file_read'],
    [{ '*': '*' }, '$&', '___2b5e39eb'],
    [{ other: 'x', 'l*': 'first', look: 'second' }, 'look', 'first'],
    [{ other: 'x' }, 'look', 's_look'],
  ])('is what the options say: %j, %s', (rename, tool, name) => {
    expect(toolNameFor('s', tool, rename)).toBe(name);
  });
});

it('a tool is taken if it is included, and not excluded', () => {
  const choice = { include: ['read_*', 'look'], exclude: ['*_secret'] };
  const names = ['read_a', 'read_secret', 'look', 'write'];
  expect(names.filter((name) => isTaken(name, choice))).toEqual(['read_a', 'look']);
});
