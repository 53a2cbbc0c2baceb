import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { createAgent, defineTool } from '@shallot/core';
import { scriptedModel } from '@shallot/testing';
import { expect, it, onTestFinished } from 'vitest';

import telemetry from '../index.ts';
import { readTraceTree, type TraceNode } from '../trace.ts';
import { readHeader } from './read-trace.ts';

const named = ({ start: { kind, agent, tool } }: TraceNode): string =>
  [kind, agent, tool].filter((each) => each !== undefined).join(' ');

function linesOf(nodes: readonly TraceNode[], indent = ''): string[] {
  return nodes.flatMap((node) => [`${indent}${named(node)}`, ...linesOf(node.children, `${indent}  `)]);
}

it('a trace shows the runs that its tool calls have begun under them, at any depth', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'shallot-trace-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const low = { name: 'low', model: scriptedModel([{ text: 'Low.' }]) };
  const call = { toolCalls: [{ name: 'delegate', args: { to: 'low' } }] };
  const mid = { name: 'mid', model: scriptedModel([call, { text: 'Mid.' }]) };
  const delegate = defineTool({
    name: 'delegate',
    description: 'Delegates.',
    input: { type: 'object', properties: { to: { type: 'string' } } },
    effect: 'idempotent',
    execute: async (args, { child }) =>
      (await child({ agent: args['to'] === 'low' ? low : mid, prompt: 'Go.' })).text,
  });
  const file = join(folder, 'trace.jsonl');
  const agent = await createAgent({
    name: 'top',
    model: scriptedModel([{ toolCalls: [{ name: 'delegate', args: { to: 'mid' } }] }, { text: 'Top.' }]),
    tools: [delegate],
    plugins: [telemetry({ trace: { file } })],
    log: 'silent',
  });
  await agent.run('Go');
  await agent.close();
  // However late the root's own file was made.
  expect((await readHeader(file))?.agent).toBe('top');
  writeFileSync(join(folder, 'other.jsonl'), '{"no":"trace"}\n');
  const { parts } = await readTraceTree(file);
  expect(linesOf(parts.flatMap(({ roots }) => roots))).toMatchInlineSnapshot(`
    [
      "run",
      "  step",
      "    model",
      "    tool delegate",
      "      run mid",
      "        step",
      "          model",
      "          tool delegate",
      "            run low",
      "              step",
      "                model",
      "        step",
      "          model",
      "  step",
      "    model",
    ]
  `);
});
