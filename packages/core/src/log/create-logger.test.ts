import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';

import { describe, expect, it, onTestFinished } from 'vitest';

import { scriptedModel } from '../../../testing/src/index.ts';
import { definePlugin } from '../contract/define-plugin.ts';
import { defineTool } from '../contract/tool.ts';
import { createAgent } from '../create-agent.ts';
import { createRedactor } from '../redact/redactor.ts';
import { createLogger } from './create-logger.ts';

const redactor = createRedactor({ environment: { SHED_KEY: 'under-the-flowerpot' } });

function keptLines(): { write(line: string): void; readonly lines: Record<string, unknown>[]; text: string } {
  return {
    text: '',
    write(line) {
      this.text += line;
    },
    get lines() {
      return this.text
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line) as Record<string, unknown>);
    },
  };
}

describe('a logger', () => {
  it('writes no secret: not in messages, fields, errors, names of fields, and what children carry', () => {
    const stream = keptLines();
    const log = createLogger('info', { redactor, stream });
    const error = Object.assign(new Error('lost under-the-flowerpot', { cause: 'under-the-flowerpot' }), {
      config: { headers: { 'X-API-key': 'unknown to all' } },
    });
    log.info('it is under-the-flowerpot');
    log.warn(
      { a: { b: { c: 'under-the-flowerpot' } }, 'under-the-flowerpot': 1 },
      'said under-the-flowerpot',
    );
    log.error(error);
    log.error({ err: error }, 'with an error');
    log.error(error, 'thrown');
    log
      .child({ plugin: 'under-the-flowerpot' })
      .child({ run: 1 })
      .info({ url: 'https://u:pass-word@h/' }, 'child');
    expect(stream.text).not.toMatch(/flowerpot|unknown to all|pass-word/);
    expect(stream.lines).toMatchObject([
      { level: 30, name: 'shallot', msg: 'it is [redacted]' },
      { level: 40, a: { b: { c: '[redacted]' } }, '[redacted]': 1, msg: 'said [redacted]' },
      {
        msg: 'lost [redacted]',
        err: { type: 'Error', cause: '[redacted]', config: { headers: { 'X-API-key': '[redacted]' } } },
      },
      { msg: 'with an error', err: { message: 'lost [redacted]' } },
      { msg: 'thrown', err: { message: 'lost [redacted]' } },
      { plugin: '[redacted]', run: 1, msg: 'child' },
    ]);
  });

  it('that is given gets no secret either, and nothing below its level', () => {
    const seen: unknown[] = [];
    const given = Object.fromEntries(
      ['trace', 'debug', 'info', 'warn', 'error', 'fatal'].map((level) => [
        level,
        (...args: unknown[]) => seen.push([level, ...args]),
      ]),
    );
    const log = createLogger(
      { ...given, child: () => log, isLevelEnabled: (level: string) => level !== 'debug' } as never,
      { redactor },
    );
    for (const level of ['trace', 'debug', 'info', 'warn', 'error', 'fatal'] as const)
      log[level]({ a: 'under-the-flowerpot' }, 'b');
    expect(seen).toEqual(
      ['trace', 'info', 'warn', 'error', 'fatal'].map((level) => [level, { a: '[redacted]' }, 'b']),
    );
  });

  it('that is given gets all levels unless it says which, and an error with its message', () => {
    const seen: unknown[] = [];
    const note = (level: string) => (details: unknown, message?: string) =>
      void seen.push([level, details, message]);
    const given = { debug: note('debug'), error: note('error') };
    // Only these levels are written.
    const log = createLogger(given as never, { redactor });
    log.debug('a');
    log.error(new Error('under-the-flowerpot'));
    log.error(new Error('b'), 'c');
    expect(seen).toEqual([
      ['debug', 'a', undefined],
      ['error', { err: expect.objectContaining({ message: '[redacted]' }) as object }, '[redacted]'],
      ['error', { err: expect.objectContaining({ message: 'b' }) as object }, 'c'],
    ]);
  });

  it('covers what tools and plugins of an agent write', async () => {
    const stream = keptLines();
    const agent = await createAgent({
      model: scriptedModel([{ toolCalls: [{ name: 'look' }] }, { text: 'ok' }]),
      log: 'info',
      logStream: stream,
      redact: { environment: false, secrets: ['under-the-flowerpot'], patterns: [/ACME-\d+/] },
      tools: [
        defineTool({
          name: 'look',
          description: 'Looks.',
          input: { type: 'object' },
          execute: (_args, { log }) => log.info('under-the-flowerpot'),
        }),
      ],
      plugins: [
        definePlugin({
          name: 'noisy',
          setup({ log, redactor, hooks }) {
            log.info({ at: 'ACME-12' }, redactor.text('set up under-the-flowerpot'));
            hooks.beforeAgent.tap('log', (run) => run.log.info({ Authorization: 'none' }, 'ACME-34'));
          },
        })(),
      ],
    });
    await agent.run('Hi');
    await agent.close();
    expect(
      stream.lines.map(({ plugin, at, Authorization, msg }) => ({ plugin, at, Authorization, msg })),
    ).toEqual([
      { plugin: 'noisy', at: '[redacted]', msg: 'set up [redacted]' },
      { plugin: 'noisy', Authorization: '[redacted]', msg: '[redacted]' },
      { msg: '[redacted]' },
    ]);
  });

  it('that cannot write harms no run: the loss is counted, and said once', async () => {
    let writes = 0;
    const agent = await createAgent({
      model: scriptedModel([{ text: 'a' }, { text: 'b' }]),
      log: 'info',
      logStream: {
        write() {
          writes += 1;
          throw new Error('ENOSPC: no space left on device, write');
        },
      },
      plugins: [
        definePlugin({ name: 'noisy', beforeAgent: (run) => (run.log.info('one'), run.log.info('two')) })(),
      ],
    });
    const warnings: unknown[] = [];
    for (const input of ['1', '2']) {
      for await (const event of agent.stream(input)) if (event.type === 'warning') warnings.push(event);
    }
    await agent.close();
    expect(warnings).toEqual([
      {
        type: 'warning',
        code: 'LOG_LOST',
        message:
          'The log could not be written (ENOSPC: no space left on device, write): 2 lines so far. More lines may be lost; this is reported once.',
      },
    ]);
    expect(writes).toBe(5);
  });

  it.runIf(process.platform === 'linux')('on a full disk does not end the process', () => {
    const program = `
      import { createAgent } from ${JSON.stringify(fileURLToPath(new URL('../index.ts', import.meta.url)))};
      import { scriptedModel } from ${JSON.stringify(fileURLToPath(new URL('../../../testing/src/index.ts', import.meta.url)))};
      const agent = await createAgent({ model: scriptedModel([{ text: 'still here' }]), log: 'info', plugins: [] });
      agent.tools.add([]);
      const stream = agent.stream('Hi', { sessionId: 'a' });
      for await (const event of stream) if (event.type === 'warning') console.log(event.code);
      console.log((await stream.result).text);
      await agent.close();
    `;
    const noisy = program.replace(
      'plugins: []',
      `plugins: [(await import(${JSON.stringify(fileURLToPath(new URL('../ready-made.ts', import.meta.url)))})).withInstructions((run) => { for (let i = 0; i < 500; i += 1) run.log.info('x'.repeat(1000)); return ''; })]`,
    );
    const full = openSync('/dev/full', 'w');
    onTestFinished(() => closeSync(full));
    const { stdout, status } = spawnSync(process.execPath, ['--input-type=module-typescript', '-e', noisy], {
      stdio: ['ignore', 'pipe', full],
      encoding: 'utf8',
      timeout: 30_000,
    });
    expect({ stdout, status }).toEqual({ stdout: 'LOG_LOST\nstill here\n', status: 0 });
  });

  it.runIf(process.platform === 'linux')(
    'writes to stderr, and counts what it cannot write there',
    async () => {
      const full = openSync('/dev/full', 'w');
      onTestFinished(() => closeSync(full));
      const [read, closed, refusing] = [start('pipe'), start('pipe'), start(full)];
      closed.child.stderr?.destroy();
      const lines = text(read.child.stderr ?? Readable.from([]));
      expect(await refusing.end).toEqual([
        expect.stringContaining('(ENOSPC: no space left on device, write): 200 lines so far.'),
        0,
      ]);
      // Nothing is tried again once nobody can read it.
      expect(await closed.end).toEqual([
        expect.stringContaining('(EPIPE: broken pipe, write): 1 line so far.'),
        0,
      ]);
      expect(await read.end).toEqual(['undefined\n', 0]);
      expect((await lines).trimEnd().split('\n')).toHaveLength(200);
    },
  );
});

/** A program that writes 200 lines to a logger, and reports what was lost. */
const program = `
  import { createRedactor } from ${JSON.stringify(import.meta.resolve('../redact/redactor.ts'))};
  import { createLogger } from ${JSON.stringify(import.meta.resolve('./create-logger.ts'))};
  import { LogLosses } from ${JSON.stringify(import.meta.resolve('./log-losses.ts'))};
  const losses = new LogLosses();
  const log = createLogger('info', { redactor: createRedactor({ environment: {} }), losses });
  for (let line = 0; line < 200; line += 1) log.info('x'.repeat(1000));
  console.log(losses.report());
`;

function start(stderr: 'pipe' | number) {
  const args = ['--input-type=module', '-e', program];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', stderr], timeout: 30_000 });
  const exit = once(child, 'exit').then(([status]: unknown[]) => status);
  return { child, end: Promise.all([text(child.stdout ?? Readable.from([])), exit]) };
}
