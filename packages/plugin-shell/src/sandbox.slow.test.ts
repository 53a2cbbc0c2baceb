import { execFile, spawnSync } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { createAgent, textOf, type ToolMessage } from '@shallot/core';
import { diskFiles } from '@shallot/core/files';
import { messageOf } from '@shallot/core/plugin';
import { scriptedModel } from '@shallot/testing';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';

import { shell } from './index.ts';
import { checkBubblewrap } from './running/bubblewrap.ts';

const root = realpathSync(mkdtempSync(join(tmpdir(), 'shallot-sandbox-')));
afterAll(() => rmSync(root, { recursive: true, force: true }));
const mark = `sandbox_test_${process.pid}`;

const failure = await checkBubblewrap(process.env).then(() => undefined, messageOf);
const works = failure === undefined;
if (!works) process.stderr.write(`The tests of the sandbox are left out: ${failure}\n`);

interface Setting {
  readonly until?: string;
  readonly timeout_ms?: number;
  readonly network?: boolean;
}

async function run(command: string, { until, timeout_ms, network = false }: Setting = {}) {
  await using agent = await createAgent({
    model: scriptedModel([
      {
        toolCalls: [
          { name: 'shell', args: { command, ...(timeout_ms === undefined ? {} : { timeout_ms }) } },
        ],
      },
      { text: 'Done.' },
    ]),
    plugins: [shell({ unattended: true, sandbox: true, network })],
    files: diskFiles(root),
    log: 'silent',
  });
  const abort = new AbortController();
  const stream = agent.stream('Go.', { signal: abort.signal });
  for await (const event of stream) {
    const isSo = event.type === 'tool-progress' && JSON.stringify(event.data).includes(until ?? '\0');
    if (isSo) abort.abort(new Error('enough'));
  }
  const { messages } = await stream.result;
  const result = messages.find((message): message is ToolMessage => message.role === 'tool');
  return { text: result === undefined ? '' : textOf(result), data: result?.data };
}

function leftOver(): string[] {
  const { stdout } = spawnSync('ps', ['-A', '-o', 'stat=', '-o', 'args='], { encoding: 'utf8' });
  return stdout.split('\n').filter((line) => line.includes(mark) && !line.startsWith('Z'));
}

describe.runIf(works)('in the sandbox', () => {
  it('a command writes into the root and nowhere else', async () => {
    const outside = join(homedir(), mark);
    const { text } = await run(
      `pwd; echo in > inside; echo out > ${outside} || echo refused; echo t > /tmp/${mark}`,
    );
    expect(text).toMatch(
      new RegExp(`^${root}\n.*Read-only file system.*\nrefused\n\\[Exit status 0\\]$`, 's'),
    );
    expect(readFileSync(join(root, 'inside'), 'utf8')).toBe('in\n');
    expect([existsSync(outside), existsSync(join('/tmp', mark))]).toEqual([false, false]);
  });

  it('the sessions of the agent are not seen', async () => {
    mkdirSync(join(root, '.shallot'));
    writeFileSync(join(root, '.shallot', 'token'), 'secret');
    const { text } = await run('ls -A .shallot; rm -r .shallot; echo x > .shallot/token');
    expect(text).not.toContain('token\n');
    expect(readFileSync(join(root, '.shallot', 'token'), 'utf8')).toBe('secret');
  });

  it('the environment of the agent is not seen', async () => {
    const environ = `/proc/${process.pid}/environ`;
    expect(readFileSync(environ, 'utf8')).toContain('PATH=');
    expect((await run(`cat ${environ}`)).text).toContain('No such file or directory');
  });

  it('there is no network unless it is asked for', async () => {
    const server = createServer((_, response) => response.end('tea')).listen(0, '127.0.0.1');
    onTestFinished(() => void server.close());
    await new Promise((resolve) => server.once('listening', resolve));
    // Its address is always an object for a port.
    const { port } = server.address() as AddressInfo;
    // In the sandbox, `/tmp` is empty: a Node that lies there, as in a checkout in `/tmp`, is found in the root only.
    copyFileSync(process.execPath, join(root, 'node'));
    const ask = `fetch('http://127.0.0.1:${port}').then((r) => r.text()).then(console.log, (e) => console.log(e.cause.code))`;
    const line = `./node -e "${ask}"`;
    const { stdout } = await promisify(execFile)('/bin/sh', ['-c', line], { cwd: root });
    expect(stdout).toBe('tea\n');
    expect((await run(line)).text).toMatch(/^(?:ECONNREFUSED|ENETUNREACH)\n\[Exit status 0\]$/);
    expect((await run(line, { network: true })).text).toBe('tea\n[Exit status 0]');
  });

  it('exit status and signal come through', async () => {
    expect((await run('exit 3')).data).toMatchObject({ exitCode: 3, signal: null });
    expect((await run('kill -9 $$')).data).toMatchObject({ exitCode: 137, signal: null });
  });

  it('what is missing is an error', async () => {
    expect((await run('no-such-program-anywhere')).text).toMatch(/not found[\s\S]*\[Exit status 127\]/);
  });

  const stubborn = `trap '' TERM; setsid sh -c 'while true; do : ${mark}; sleep 0.05; done' & echo up; while true; do : ${mark}; sleep 0.05; done`;

  it('all of a command ends when its run is aborted, also what has left its group', async () => {
    await expect(run(stubborn, { until: 'up' })).rejects.toThrow('enough');
    expect(leftOver()).toEqual([]);
  });

  it('all of it ends when it takes too long', async () => {
    const { data } = await run(stubborn, { timeout_ms: 300 });
    expect(data).toMatchObject({ timedOut: true });
    expect(leftOver()).toEqual([]);
  });

  it('what it leaves running ends with it', async () => {
    const { text } = await run(`setsid sh -c 'while true; do : ${mark}; sleep 0.05; done' & echo bye`);
    expect(text).toBe('bye\n[Exit status 0]');
    expect(leftOver()).toEqual([]);
  });
});
