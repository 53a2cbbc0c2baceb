import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

import { expect, it } from 'vitest';

const core = import.meta.resolve('../../index.ts');

/** Says when the validator is loaded, and answers with a tool call only then. */
const program = `
import { registerHooks } from 'node:module';
const loaded = Promise.withResolvers();
registerHooks({
  resolve(specifier, context, next) {
    if (specifier === '@cfworker/json-schema') loaded.resolve();
    return next(specifier, context);
  },
});
const { createAgent, defineTool } = await import(${JSON.stringify(core)});
const answers = [
  async (emit) => {
    emit({ type: 'tool-call-delta', index: 0, id: 'c', name: 'add', text: '{"n":' });
    await loaded.promise;
    return { message: { role: 'assistant', content: [{ type: 'tool-call', id: 'c', name: 'add', input: { n: 1 } }] }, finish: 'tool-calls' };
  },
  async () => ({ message: { role: 'assistant', content: [{ type: 'text', text: 'Two.' }] }, finish: 'stop' }),
];
const agent = await createAgent({
  model: { id: 'a/b', generate: (_request, { emit }) => answers.shift()(emit) },
  tools: [defineTool({ name: 'add', description: 'Adds.', input: { type: 'object', minProperties: 1 }, execute: () => '2' })],
});
const stream = agent.stream('Add.');
for await (const event of stream) void event;
console.log((await stream.result).text);
`;

it("loads what checks a tool call's arguments while they still come", async () => {
  // A model that waits in vain would leave the process with nothing to do.
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', program]);
  expect(stdout).toBe('Two.\n');
}, 60_000);
