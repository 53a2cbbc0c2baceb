import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { createAgent, defineTool, memoryStore, textOf } from '@shallot/core';
import type { Store } from '@shallot/core/store';
import { scriptedModel, type ScriptedStep } from '@shallot/testing';
import { describe, expect, it, onTestFinished } from 'vitest';

import redaction from './index.ts';
import { SealKey, sealKey } from './seal-key.ts';

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'shallot-key-'));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

describe('a sealed value', () => {
  const key = new SealKey('a key of at least thirty-two characters');

  it('is read with the same key, and holds nothing of it', () => {
    const sealed = key.seal({ mail: 'anna@example.org' });
    expect(sealed).not.toContain('anna');
    expect(new SealKey('a key of at least thirty-two characters').unseal(sealed)).toEqual({
      mail: 'anna@example.org',
    });
    expect(key.seal('x')).not.toBe(key.seal('x'));
  });

  it.each([
    [
      'another key',
      new SealKey('another key of more than 32 characters').seal('x'),
      'it was sealed with the key',
    ],
    ['a changed text', `${key.seal('x').slice(0, -3)}AAA`, 'it was damaged'],
    ['a cut text', `1.${key.id}.`, 'it was damaged'],
    ['no sealed text', 'x', 'it was sealed with the key'],
  ])('is refused with %s', (_, sealed, why) => {
    expect(() => key.unseal(sealed)).toThrow(why);
  });
});

describe('the key file', () => {
  it('is made with the first value, for its owner alone, and read by the next process', () => {
    const directory = folder();
    mkdirSync(join(directory, '.shallot'));
    const path = join(directory, '.shallot', 'key');
    const first = sealKey({ directory });
    expect(() => statSync(path)).toThrow('ENOENT');
    const sealed = first().seal('x');
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(readFileSync(path, 'utf8')).toMatch(/^[\w-]{43}\n$/);
    expect(sealKey({ directory })().unseal(sealed)).toBe('x');
    expect(readdirSync(join(directory, '.shallot'))).toEqual(['key']);
  });

  it('is not made where its folder is missing: the process has a key of its own', () => {
    const directory = folder();
    const sealed = sealKey({ directory })().seal('x');
    expect(readdirSync(directory)).toEqual([]);
    expect(sealKey({ directory: folder() })().unseal(sealed)).toBe('x');
  });

  it.each([
    ['is empty', '', 0o600, 'is empty. Restore it from a backup'],
    ['holds something else', 'hunter2\n', 0o600, 'does not hold a key of 43 characters'],
    ['can be read by others', 'A'.repeat(43), 0o644, 'can be read by others (mode 644). Run chmod 600'],
  ])('that %s keeps the agent from starting', async (_, text, mode, why) => {
    const keyFile = join(folder(), 'key');
    writeFileSync(keyFile, text);
    chmodSync(keyFile, mode);
    const agent = createAgent({
      model: scriptedModel([]),
      plugins: [redaction({ keyFile })],
      log: 'silent',
    });
    await expect(agent).rejects.toThrow(why);
  });
});

describe('a session whose values another key file has sealed', () => {
  const executed: unknown[] = [];
  const send = defineTool({
    name: 'send',
    description: 'Sends.',
    input: { type: 'object' },
    execute: (args) => {
      executed.push(args);
      return 'sent';
    },
  });

  async function turn(store: Store, keyFile: string, steps: readonly ScriptedStep[], input: string) {
    const plugins = [redaction({ keyFile })];
    const model = scriptedModel(steps);
    await using agent = await createAgent({ model, tools: [send], plugins, store, log: 'silent' });
    return await agent.run(input, { sessionId: 's' });
  }

  it.each([
    ['the one of another machine', false],
    ['one that is gone', true],
  ])('refuses the call with the reason, and sends no placeholder: %s', async (_, isGone) => {
    const [here, there] = [join(folder(), 'key'), join(folder(), 'key')];
    const store = memoryStore();
    executed.length = 0;
    const { messages } = await turn(store, here, [{ text: 'Yes.' }], 'I am anna@example.org');
    const [, placeholder = ''] = /(<EMAIL_\w+>)/.exec(messages.map(textOf).join(' ')) ?? [];
    expect(placeholder).not.toBe('');
    if (isGone) rmSync(here);
    const steps = [{ toolCalls: [{ name: 'send', args: { to: placeholder } }] }, { text: 'No.' }];
    const result = await turn(store, isGone ? here : there, steps, 'Send it to bob@example.org, too');
    expect(executed).toEqual([]);
    expect(result.messages.map(textOf).join(' ')).toContain('sealed with the key');
  });
});
