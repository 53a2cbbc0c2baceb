// Runs in its own process: `node servers-cost.ts`. Measures how long MCP servers delay the first model call, and how
// long they block the event loop.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { createAgent } from '@shallot/core';
import type { ChatModel } from '@shallot/core/model';
import { mcp } from '@shallot/plugin-mcp';

import { watchEventLoop } from './measures/event-loop.ts';
import { median } from './measures/samples.ts';

const samples = 5;
const program = join(import.meta.dirname, '../packages/plugin-mcp/test/programs/raw-server.ts');
const server = (mode: string) => ({ command: process.execPath, args: [program, mode] });
const alive = Object.fromEntries(Array.from({ length: 17 }, (_, n) => [`s${n}`, server('look')]));
const dead = Object.fromEntries(
  Array.from({ length: 3 }, (_, n) => [`dead${n}`, { ...server('silent'), optional: true }]),
);

const folder = mkdtempSync(join(tmpdir(), 'shallot-bench-servers-'));
const definitions = join(folder, 'mcp-tools.json');
try {
  // The first start stores the tool definitions of the servers that answer.
  const firstMs = await firstCallMs({ ...alive, ...dead });
  const [many, none]: [number[], number[]] = [[], []];
  for (let sample = 0; sample < samples; sample += 1) {
    many.push(await firstCallMs({ ...alive, ...dead }));
    none.push(await firstCallMs({}));
  }
  const stalls: { readonly wallMs: number; readonly cpuMs: number }[] = [];
  for (let sample = 0; sample < samples; sample += 1) stalls.push(await stallOfMany());
  const figures = {
    laterMs: median(many) - median(none),
    firstMs,
    noneMs: median(none),
    stallMs: median(stalls.map(({ cpuMs }) => cpuMs)),
    stallWallMs: median(stalls.map(({ wallMs }) => wallMs)),
  };
  process.stdout.write(`\n${JSON.stringify(figures)}\n`, () => process.exit(0));
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/** Returns the time from the start of an agent to its first model call. */
async function firstCallMs(servers: Readonly<Record<string, object>>): Promise<number> {
  const started = performance.now();
  let firstMs = Number.NaN;
  const model: ChatModel = {
    id: 'bench/first',
    generate: async () => {
      firstMs = performance.now() - started;
      return { message: { role: 'assistant', content: [{ type: 'text', text: 'Done.' }] }, finish: 'stop' };
    },
  };
  const agent = await createAgent({ model, plugins: [mcp({ servers, definitions })], log: 'silent' });
  await agent.run('Go.');
  await agent.close();
  return firstMs;
}

/** Returns the longest stall of the event loop while the 5,000 tools of a server are read. */
async function stallOfMany() {
  const model: ChatModel = {
    id: 'bench/many',
    generate: async () => ({
      message: { role: 'assistant', content: [{ type: 'text', text: 'Done.' }] },
      finish: 'stop',
    }),
  };
  const watch = watchEventLoop();
  const agent = await createAgent({
    model,
    plugins: [mcp({ servers: { s: server('five-thousand') } })],
    log: 'silent',
  });
  const longest = watch.stop();
  await agent.close();
  return longest;
}
