import { createAgent, memoryStore, textOf, type AssistantMessage } from '@shallot/core';
import { memoryFiles } from '@shallot/core/files';
import type { ChatModel, ModelResponse } from '@shallot/core/model';
import { filesystem } from '@shallot/plugin-filesystem';
import { redaction, type RedactionOptions } from '@shallot/plugin-redaction';
import { expect, it } from 'vitest';

const key = '0123456789abcdef0123456789abcdef';
const app = 'version: 1\nmail: anna@example.org\nhost: 192.0.2.17\n';

/** A model that writes down what it was told, then reads a file and writes it back with another version. */
const assistant: ChatModel = {
  id: 'test/assistant',
  async generate({ messages }) {
    const results = messages.filter(({ role }) => role === 'tool').map(textOf);
    const told = textOf(messages[0] ?? { content: [] }).replace('Note ', '');
    const read = (results[1] ?? '').replaceAll(/^ *\d+\t/gm, '').replace('version: 1', 'version: 2');
    const calls = [
      { name: 'write_file', input: { path: '/CONTACTS.md', content: told } },
      { name: 'read_file', input: { path: '/app.yaml' } },
      { name: 'write_file', input: { path: '/app.yaml', content: read } },
    ];
    const call = calls[results.length];
    if (call === undefined) return answer({ type: 'text', text: 'Done.' });
    return answer({ type: 'tool-call', id: `c${results.length}`, ...call });
  },
};

function answer(part: AssistantMessage['content'][number]): ModelResponse {
  const finish = part.type === 'tool-call' ? 'tool-calls' : 'stop';
  return { message: { role: 'assistant', content: [part] }, finish };
}

async function play(options: RedactionOptions) {
  const files = memoryFiles();
  await files.write('/app.yaml', app);
  await using agent = await createAgent({
    model: assistant,
    store: memoryStore(),
    files,
    log: 'silent',
    plugins: [filesystem(), redaction(options)],
  });
  const { messages } = await agent.run('Note anna@example.org', { sessionId: 's' });
  const textAt = (path: string) => files.readText(path).then((read) => read.text, String);
  return {
    contacts: await textAt('/CONTACTS.md'),
    app: await textAt('/app.yaml'),
    results: messages.filter(({ role }) => role === 'tool').map(textOf),
    said: JSON.stringify(messages),
  };
}

it('files that an agent writes have the values that the model never saw', async () => {
  const { contacts, app: written, said } = await play({ key });
  expect(contacts).toContain('anna@example.org');
  expect(written).toContain('version: 2\nmail: anna@example.org\nhost: 192.0.2.17');
  expect(said).not.toMatch(/anna@|192\.0\.2/);
});

it('files stay as they are where the values are gone, and the model gets the reason', async () => {
  const { contacts, app: written, results } = await play({ detectors: { email: 'redact', ip: 'redact' } });
  expect(contacts).toContain('There is no file');
  expect(written).toBe(app);
  expect(results[0]).toContain('[redacted email]');
  expect(results[2]).toContain('[redacted');
});
