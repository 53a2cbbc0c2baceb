import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { expect, it } from 'vitest';

import { copyExample, startServer } from './test/example-copy.ts';

const root = join(import.meta.dirname, '../..');
const guide = readFileSync(join(root, 'docs/guides/web-chat.md'), 'utf8');

/** Runs a command of the guide, and checks what the guide says of it. */
const commands: Readonly<Record<string, () => Promise<void> | void>> = {
  'cd examples/web-chat'() {
    expect(existsSync(join(root, 'examples/web-chat/server.ts'))).toBe(true);
  },
  'npm start'() {
    const { status, stdout, stderr } = spawnSync(process.execPath, ['--no-warnings', 'start.ts'], {
      cwd: copyExample(),
      encoding: 'utf8',
    });
    expect([status, stderr]).toEqual([0, '']);
    expect(stdout).toBe(`You: Three rose bushes
Agent: I look after it. May I buy this?
  tool-buy {"what":"Three rose bushes"} approval-requested
(the server was restarted)
You: approved
Agent: I look after it. May I buy this?
  tool-buy {"what":"Three rose bushes"} output-available
Agent: It is settled: bought Three rose bushes
`);
  },
  async 'node server.ts'() {
    const { url } = await startServer(copyExample(), ['server.ts']);
    expect(await (await fetch(url)).text()).toContain('<title>Garden</title>');
    expect((await fetch(`${url}/page.js`)).headers.get('content-type')).toMatch(/^text\/javascript/);
  },
};

const fences = Array.from(guide.matchAll(/^```sh\n(.*?)^```$/gms), ([, lines = '']) =>
  lines.trim().split('\n'),
);
/** The commands of the example. The tests of the command run the ones before. */
const written = fences.filter(([first]) => first?.startsWith('cd ')).flat();

it.each(written)('the guide says what it does: %s', async (line) => {
  const command = commands[line];
  expect(command).toBeTypeOf('function');
  await command?.();
});
