import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { expect, it, onTestFinished } from 'vitest';

import { makeProject } from '../test/project.ts';

const guides = join(import.meta.dirname, '../../../docs/guides');

/** The agent of the guides: it asks before it sells a candle. */
const files = {
  'shallot.config.yaml': 'name: shop\nmodel: ./model.ts\ntools: [./tools.ts]\n',
  'model.ts': `
    import { scriptedModel } from '@shallot/testing';
    const answer = ({ messages }) => {
      const { role, content } = messages.at(-1);
      if (role === 'tool') return { text: 'Sold.' };
      return content[0].text.includes('candle') ? { toolCalls: [{ name: 'sell' }] } : { text: 'Hello.' };
    };
    export default scriptedModel(Array.from({ length: 9 }, () => answer));`,
  'tools.ts': `
    import { defineTool } from '@shallot/core';
    export const sell = defineTool({ name: 'sell', description: 'Sells', input: { type: 'object' },
      async execute(_, { interrupt }) {
        const properties = { decision: { enum: ['approve', 'reject'] } };
        await interrupt({ kind: 'approval', payload: {}, answer: { type: 'object', properties, required: ['decision'] } });
        return 'sold';
      } });`,
};

/** The output of each command, by its beginning. */
const printed: readonly (readonly [command: string, output: RegExp])[] = [
  ['curl "localhost:4111/sessions?wait=60"', /"id":"order-1".*"text":"Hello\."/],
  ['curl "localhost:4111/sessions/order-1/runs?wait=60"', /"status":"interrupted"/],
  ['curl -N localhost:4111/sessions/order-1/events', /event: run-end\ndata: .*"interrupted"/],
  ['curl localhost:4111/interrupts', /"kind":"approval"/],
  ['curl localhost:4111/sessions/order-1/interrupts/int_1', /"isOpen":true.*"interrupts":\[\]/],
  ['curl localhost:4111/v1/models', /"id":"shop"/],
  ['curl localhost:4111/v1/chat/completions', /"content":"Hello\."/],
];

const commandsOf = (guide: string): string[] =>
  [...readFileSync(join(guides, guide), 'utf8').matchAll(/^```sh\n(.*?)^```$/gms)].flatMap(([, lines = '']) =>
    lines.trim().split('\n'),
  );

it('the guides of the server are true, command by command', async () => {
  const project = makeProject(files);
  const running = project.start(['serve', '--port', '0']);
  onTestFinished(() => void running.child.kill('SIGKILL'));
  let said = '';
  running.child.stderr.on('data', (data) => (said += String(data)));
  await running.seen(/Serving shop at http:\S+\n/);
  const { host } = new URL(/http:\S+/.exec(said)?.[0] ?? '');

  async function carryOut(command: string): Promise<string> {
    const response = await fetch(`http://${host}/interrupts`);
    const { interrupts } = (await response.json()) as {
      readonly interrupts: readonly { readonly id: string }[];
    };
    const here = command.replaceAll('localhost:4111', host).replaceAll('int_1', interrupts[0]?.id ?? '');
    const checked = here.replace('curl', 'curl --silent --fail-with-body');
    const { stdout } = await promisify(execFile)('sh', ['-c', checked]);
    return stdout;
  }

  const commands = ['serve.md', 'openai-clients.md', 'web-chat.md'].flatMap(commandsOf);
  const requests = commands.filter((command) => command.startsWith('curl '));
  expect(commands.filter((command) => !requests.includes(command))).toEqual([
    // Packages are installed, and then serve, where they have been published to a registry.
    'npm install @shallot/server',
    'npx shallot serve',
    'npx shallot serve',
    'npx shallot serve',
    // The tests of the example run these.
    'cd examples/web-chat',
    'npm start',
    'node server.ts',
  ]);
  expect(requests).toHaveLength(printed.length);
  for (const [index, [beginning, output]] of printed.entries()) {
    const command = requests[index] ?? '';
    expect(command.startsWith(beginning)).toBe(true);
    expect(await carryOut(command)).toMatch(output);
  }
  const page = await fetch(`http://${host}/`);
  expect(page.headers.get('content-security-policy')).toMatch(/^default-src 'none'/);
  expect(await page.text()).toMatch(/^<!doctype html>/);
});
