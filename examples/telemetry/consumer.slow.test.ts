import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';

import { loadAgent } from '@shallot/core/config';
import { beforeAll, expect, it, onTestFinished } from 'vitest';

import { startTracing } from './tracing.ts';

const run = promisify(execFile);
const consumer = join(import.meta.dirname, 'consumer');

// About 115 MB that nothing else needs, and so no part of the workspace: installed once, by whoever runs this test.
beforeAll(async () => {
  // npm writes this file last.
  if (existsSync(join(consumer, 'node_modules', '.package-lock.json'))) return;
  await run('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], { cwd: consumer });
}, 300_000);

interface ConsumedSpan {
  readonly displayName: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
}

it('sends what the receiver of somebody else understands', async () => {
  const url = await startConsumer();
  const stopTracing = startTracing(`${url}/api/otlp/v1/traces`);
  const { agent } = await loadAgent({ cwd: import.meta.dirname });
  await agent.run('When is the honey harvested?');
  await agent.close();
  await stopTracing();

  const { traces } = (await get(`${url}/api/traces`)) as {
    readonly traces: readonly { traceId: string }[];
  };
  const { spans } = (await get(`${url}/api/traces/${traces[0]?.traceId}`)) as {
    readonly spans: Readonly<Record<string, ConsumedSpan>>;
  };
  const parents = Object.values(spans).map(
    ({ displayName, parentSpanId = '' }) =>
      `${displayName} in ${spans[parentSpanId]?.displayName ?? 'nothing'}`,
  );
  expect(traces).toHaveLength(1);
  expect(parents).toEqual(
    expect.arrayContaining([
      'invoke_agent bee-club in nothing',
      'chat word-match in invoke_agent bee-club',
      'execute_tool read_file in invoke_agent bee-club',
      'wrapToolCall audit in execute_tool read_file',
    ]),
  );
}, 60_000);

async function startConsumer(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'shallot-consumer-'));
  const port = await freePort();
  const child = spawn(process.execPath, ['start.ts', String(port), folder], {
    cwd: consumer,
    stdio: 'ignore',
  });
  onTestFinished(async () => {
    child.kill('SIGKILL');
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
    rmSync(folder, { recursive: true, force: true });
  });
  const url = `http://127.0.0.1:${port}`;
  while (!(await isUp(url))) await sleep(50);
  return url;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  await server[Symbol.asyncDispose]();
  return typeof address === 'object' && address !== null ? address.port : 0;
}

async function isUp(url: string): Promise<boolean> {
  try {
    return (await fetch(`${url}/api/__health`)).ok;
  } catch {
    return false;
  }
}

async function get(url: string): Promise<unknown> {
  return (await fetch(url)).json();
}
