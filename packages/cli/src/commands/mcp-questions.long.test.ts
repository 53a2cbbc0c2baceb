import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { expect, it } from 'vitest';

import { makeProject } from '../../test/project.ts';

const files = {
  'shallot.config.yaml':
    'name: payer\nmodel: ./model.ts\ntools: [./tools.ts]\nplugins: [hitl]\npermissions: { ask: [pay] }\n',
  'model.ts': `
    import { scriptedModel } from '@shallot/testing';
    const answer = ({ messages }) => messages.at(-1)?.role === 'tool' ? { text: 'Paid.' } : { toolCalls: [{ name: 'pay' }] };
    export default scriptedModel([answer, answer]);`,
  'tools.ts': `
    import { appendFileSync } from 'node:fs';
    import { defineTool } from '@shallot/core';
    const execute = () => { appendFileSync('paid.txt', 'paid '); return 'paid'; };
    export const pay = defineTool({ name: 'pay', description: 'Pays', input: { type: 'object' }, execute });`,
};

const command = join(import.meta.dirname, '../main.ts');
const program = join(import.meta.dirname, '../../test/programs/ask-over-mcp.ts');

it('takes a question through three processes of the client, and executes the call once', async () => {
  const { folder } = makeProject(files);
  const call = async (params: object): Promise<Record<string, unknown>> => {
    const args = [program, command, JSON.stringify(params)];
    const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: folder });
    // The program prints one object.
    return JSON.parse(stdout) as Record<string, unknown>;
  };
  const question = 'Pay.';
  const asked = await call({ arguments: { question } });
  const [, session = ''] = /\(session (\S+?)\)/.exec(JSON.stringify(asked)) ?? [];
  const again = await call({ arguments: { question: 'What was it?', session } });
  expect(again).toMatchObject({ resultType: 'input_required', inputRequests: asked['inputRequests'] });
  const { requestState } = again;
  const inputResponses = { approval: { action: 'accept', content: { decision: 'approve' } } };
  const done = await call({ arguments: { question, session }, inputResponses, requestState });
  expect(done).toMatchObject({ content: [{ text: 'Paid.' }, {}] });
  expect(readFileSync(join(folder, 'paid.txt'), 'utf8')).toBe('paid ');
});
