import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { createAgent, textOf, type AgentEvent, type ToolMessage } from '@shallot/core';
import { diskFiles } from '@shallot/core/files';
import { scriptedModel } from '@shallot/testing';
import { afterAll, afterEach, describe, expect, it, vi } from 'vitest';

import { shell, type ShellOptions } from './index.ts';
import { Output } from './running/output.ts';
import { runCommand } from './running/run-command.ts';

const root = realpathSync(mkdtempSync(join(tmpdir(), 'shallot-shell-')));
const mark = `shell_test_${process.pid}`;

/** The processes of this machine that a test has started, by the variable that all of them have. */
function leftOver(): string[] {
  const list = execFileSync('ps', ['-A', '-o', 'pid=', '-o', 'stat=', '-o', 'args='], { encoding: 'utf8' });
  return list.split('\n').filter((line) => line.includes(mark) && !/^\s*\d+\s+Z/.test(line));
}

/** Shells that this process has started: commands, and what ends their groups with it. */
function shellsOfThis(): string[] {
  const list = execFileSync('ps', ['-A', '-o', 'ppid=', '-o', 'args='], { encoding: 'utf8' });
  return list.split('\n').filter((line) => new RegExp(`^\\s*${process.pid}\\s+/bin/sh\\b`).test(line));
}

afterEach(async () => {
  const left = leftOver();
  if (left.length > 0) throw new Error(`processes are left: ${left.join('; ')}`);
  await vi.waitUntil(() => shellsOfThis().length === 0, { timeout: 10_000 });
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

interface Setting {
  readonly options?: ShellOptions;
  readonly timeout_ms?: number;
  readonly signal?: AbortSignal;
  readonly onEvent?: (event: AgentEvent) => void;
}

async function run(command: string, { options = {}, timeout_ms, signal, onEvent }: Setting = {}) {
  const args = { command, ...(timeout_ms === undefined ? {} : { timeout_ms }) };
  await using agent = await createAgent({
    model: scriptedModel([{ toolCalls: [{ name: 'shell', args }] }, { text: 'Done.' }]),
    plugins: [shell({ unattended: true, killAfterMs: 100, ...options })],
    files: diskFiles(root),
    log: 'silent',
  });
  const stream = agent.stream('Go.', { sessionId: 's', ...(signal === undefined ? {} : { signal }) });
  for await (const event of stream) onEvent?.(event);
  const { messages } = await stream.result;
  const result = messages.find((message): message is ToolMessage => message.role === 'tool');
  if (result === undefined) throw new Error('nothing was executed');
  return { text: textOf(result), isError: result.isError === true, data: result.data };
}

describe('a command', () => {
  it('returns both outputs in their order, and its exit status', async () => {
    const { text, isError, data } = await run('echo one; echo two >&2; echo three; exit 3');
    expect(text).toBe('one\ntwo\nthree\n[Exit status 3]');
    expect(isError).toBe(true);
    expect(data).toEqual({
      exitCode: 3,
      signal: null,
      timedOut: false,
      bytes: 14,
      isCut: false,
      isBinary: false,
    });
    expect((await run('true')).text).toBe('[Exit status 0]');
  });

  it('that a signal ends says which', async () => {
    const { text, data } = await run('kill -9 $$');
    expect(text).toBe('[Ended by SIGKILL]');
    expect(data).toMatchObject({ exitCode: null, signal: 'SIGKILL' });
  });

  it('starts in the root of the files, or in the one that is set', async () => {
    expect((await run('pwd')).text).toBe(`${root}\n[Exit status 0]`);
    const inner = join(root, 'inner');
    expect((await run('pwd', { options: { root: inner } })).text).toBe(`${inner}\n[Exit status 0]`);
  });

  it('that waits for input gets none', async () => {
    expect((await run('cat; read x || echo none')).text).toBe('none\n[Exit status 0]');
  });

  it('that is missing is an error that says so', async () => {
    const { text, isError } = await run('no-such-program-anywhere');
    expect(isError).toBe(true);
    expect(text).toMatch(/not found[\s\S]*\[Exit status 127\]/);
    const sandbox = { command: ['/no/such/sandbox'] };
    expect((await run('true', { options: { sandbox } })).text).toMatch(/was not executed.*ENOENT/);
  });

  it('sees the variables that are named and no others', async () => {
    process.env['SHELL_TEST_KEY'] = 'secret';
    const print = 'echo "[$SHELL_TEST_KEY] [$SHELL_TEST_SET] [$PATH]"';
    expect((await run(print, { options: { variables: { SHELL_TEST_SET: 'set' } } })).text).toContain(
      `[] [set] [${process.env['PATH']}]`,
    );
    expect((await run(print, { options: { env: ['SHELL_TEST_*'] } })).text).toContain('[secret] []');
    delete process.env['SHELL_TEST_KEY'];
  });

  it('is put behind the sandbox', async () => {
    const sandbox = { command: ['/usr/bin/env', 'SHELL_TEST_BOX=in'] };
    expect((await run('echo $SHELL_TEST_BOX', { options: { sandbox } })).text).toContain('in\n');
  });

  it('shows its output while it runs', async () => {
    const seen: unknown[] = [];
    const go = join(root, 'go');
    await run(`echo first; while [ ! -e go ]; do : ${mark}; sleep 0.01; done; echo second`, {
      onEvent: (event) => {
        if (event.type !== 'tool-progress') return;
        seen.push(event.data);
        writeFileSync(go, '');
      },
    });
    expect(seen).toEqual([{ output: 'first\n' }, { output: 'second\n' }]);
  });
});

describe('output', () => {
  it('is cut to its head and its tail, between characters', async () => {
    const { text, data } = await run(
      `printf 'a%.0s' 1; i=0; while [ $i -lt 200 ]; do printf 'é'; i=$((i+1)); done; echo end`,
      {
        options: { maxOutputBytes: 100 },
      },
    );
    expect(data).toMatchObject({ bytes: 405, isCut: true });
    expect(text).toMatch(
      /^aé{24}\n\[305 of 405 bytes are left out here\. .*\]\né{23}end\n\[Exit status 0\]$/,
    );
  });

  it('that is long is whole in a file of the session, which tools read', async () => {
    const { text, data } = await run('seq 1 20000; exit 3');
    expect(text).toMatch(/^1\n2\n3\n[^]*\n20000\n\[Exit status 3\]$/);
    const [, size, path = ''] =
      /a result of (\d+) characters\. All of it is in the file (\S+): /.exec(text) ?? [];
    const numbers = Array.from({ length: 20_000 }, (_, index) => index + 1);
    const all = `${numbers.join('\n')}\n[Exit status 3]`;
    expect(readFileSync(join(root, '.shallot', path), 'utf8')).toBe(all);
    expect([size, path]).toEqual([`${all.length}`, expect.stringMatching(/\.txt$/)]);
    expect(data).toMatchObject({ exitCode: 3, isCut: false, bytes: 108_894 });
  });

  it('beyond the limit is left out of the file too, and nobody says otherwise', async () => {
    const { text } = await run('seq 1 20000', { options: { maxOutputBytes: 80_000 } });
    expect(text).toMatch(
      / characters of which shell had left a part out\. It is, without that part, in the file /,
    );
    expect(text).not.toContain('All of it');
  });

  it('of 100 MB does not grow the memory', async () => {
    const output = new Output(30_000);
    const before = process.memoryUsage().arrayBuffers;
    let most = 0;
    await runCommand(['/bin/sh', '-c', 'head -c 100000000 /dev/zero | tr "\\0" "x"; echo end'], {
      cwd: root,
      env: process.env,
      killAfterMs: 100,
      signal: new AbortController().signal,
      onOutput: (piece) => {
        output.push(piece);
        // Nothing is collected first: what is counted here is what the process holds.
        most = Math.max(most, process.memoryUsage().arrayBuffers - before);
      },
    });
    expect(most).toBeLessThan(5_000_000);
    expect(output.bytes).toBe(100_000_004);
    const { text, isCut } = await output.show();
    expect(isCut).toBe(true);
    expect(text.length).toBeLessThan(31_000);
    expect(text).toMatch(/^x+\n\[99970004 of 100000004 bytes .*\]\nx+end\n$/);
  });

  it('that is cut is shown on while it comes', async () => {
    const abort = new AbortController();
    const shown: string[] = [];
    const running = run(`i=0; while true; do i=$((i+1)); echo line $i ${mark}; done`, {
      options: { maxOutputBytes: 200 },
      signal: abort.signal,
      onEvent: (event) => {
        if (event.type !== 'tool-progress') return;
        shown.push(JSON.stringify(event.data));
        if (/line \d{5}/.test(shown.at(-1) ?? '')) abort.abort(new Error('enough'));
      },
    });
    await expect(running).rejects.toThrow('enough');
    expect(shown[0]).toContain(mark);
    expect(shown.some((text) => /^\{"output":"\[\d+ bytes are not shown\]\\n/.test(text))).toBe(true);
    expect(Math.max(...shown.map(({ length }) => length))).toBeLessThan(3000);
  });

  it('that is binary is named as such', async () => {
    const { text, data } = await run("printf 'a\\000b'");
    expect(text).toBe('[The output is binary: 3 bytes.]\n[Exit status 0]');
    expect(data).toMatchObject({ isBinary: true });
  });

  it('loses its colours', async () => {
    expect((await run("printf '\\033[31mred\\033[0m'")).text).toBe('red\n[Exit status 0]');
  });
});

it('A command costs one shell, beside one process that all commands of an agent share', async () => {
  const command = `ps -A -o ppid= -o pid= -o args= | awk -v parent=$PPID '$1 == parent && $3 ~ /sh$/ { print $2 }'`;
  // With the first, the process that they share has only begun.
  const calls = [1, 2, 3].map(() => ({ toolCalls: [{ name: 'shell', args: { command } }] }));
  const agent = await createAgent({
    model: scriptedModel([...calls, { text: 'Done.' }]),
    plugins: [shell({ unattended: true })],
    files: diskFiles(root),
    log: 'silent',
  });
  const { messages } = await agent.run('Go.');
  await agent.close();
  const texts = messages.flatMap((message) => (message.role === 'tool' ? [textOf(message)] : []));
  const [, first = [], second = []] = texts.map((text) => [...text.matchAll(/^\d+$/gm)].map(([pid]) => pid));
  expect([first.length, second.length]).toEqual([2, 2]);
  expect(first.filter((pid) => second.includes(pid))).toHaveLength(1);
});

describe('an end is made', () => {
  const stubborn = `trap '' TERM; echo up; while true; do : ${mark}; sleep 0.05; done`;

  it('of a command that takes too long, also if it ignores TERM', async () => {
    const { text, data } = await run(stubborn, { timeout_ms: 300 });
    expect(text).toBe('up\n[The command was ended: it took longer than 300 ms.]');
    expect(data).toMatchObject({ timedOut: true });
  });

  it('of one that prints for ever', async () => {
    const { data } = await run(`while true; do echo ${mark}; done`, {
      options: { timeoutMs: 1000, maxOutputBytes: 100 },
    });
    expect(data).toMatchObject({ timedOut: true, isCut: true });
  });

  it('of what a command leaves running', async () => {
    const { text } = await run(
      `sh -c 'while true; do : ${mark}; sleep 0.05; done' & sh -c "${stubborn}" & echo bye`,
    );
    expect(text).toContain('bye\n');
    expect(leftOver()).toEqual([]);
  });

  it('of a command whose run is aborted', async () => {
    const abort = new AbortController();
    const running = run(`${stubborn} | cat`, {
      signal: abort.signal,
      onEvent: ({ type }) => {
        if (type === 'tool-progress') abort.abort(new Error('enough'));
      },
    });
    await expect(running).rejects.toThrow('enough');
    expect(leftOver()).toEqual([]);
  });

  it('with TERM first, which a command may use', async () => {
    const command = `trap 'echo cleaned > cleaned; exit 0' TERM; echo up; while true; do : ${mark}; sleep 0.01; done`;
    await run(command, { timeout_ms: 300, options: { killAfterMs: 20_000 } });
    expect(readFileSync(join(root, 'cleaned'), 'utf8')).toBe('cleaned\n');
  });

  it('without waiting for what has left the group and holds the output', async () => {
    const pidFile = join(root, 'escaped');
    const { text } = await run(
      `setsid sh -c 'echo $$ > escaped; exec sleep 1000' & while [ ! -s escaped ]; do sleep 0.01; done; echo bye`,
    );
    expect(text).toContain('bye\n');
    const escaped = Number(readFileSync(pidFile, 'utf8'));
    expect(existsSync(`/proc/${escaped}`)).toBe(true);
    process.kill(escaped, 'SIGKILL');
  });
});
