// Runs in its own process: `node redaction.ts`. Measures the cost of redaction for a long tool result, with all
// detectors.
import { createAgent, defineTool, type Plugin } from '@shallot/core';
import type { ChatModel, ModelResponse } from '@shallot/core/model';
import { redaction } from '@shallot/plugin-redaction';

import { cpuMicros, median } from './measures/samples.ts';
import { takeTurns } from './measures/turns.ts';

const letter =
  'Dear Ms Example, thank you for order 4711-2024 of 12 March; write to anna@example.org or call +49 30 1234567 until 17:30. ';
const call: ModelResponse = {
  message: { role: 'assistant', content: [{ type: 'tool-call', id: 'c1', name: 'read', input: {} }] },
  finish: 'tool-calls',
};
const answer: ModelResponse = {
  message: { role: 'assistant', content: [{ type: 'text', text: 'Done.' }] },
  finish: 'stop',
};
const model: ChatModel = {
  id: 'bench/redaction',
  generate: ({ messages }) => Promise.resolve(messages.at(-1)?.role === 'user' ? call : answer),
};
const all = { detectors: { url: 'redact' } } as const;
const lengths = [50_000, 100_000, 400_000] as const;

const turns = await takeTurns(
  await Promise.all(lengths.flatMap((length) => [timer(length, [redaction(all)]), timer(length, [])])),
  { warmup: 10, samples: 30 },
);
const [short = 0, middle = 0, long = 0] = lengths.map((_, index) =>
  median(turns.map((times) => (times[2 * index] ?? 0) - (times[2 * index + 1] ?? 0))),
);
const figures = { growth: long / lengths[2] / (short / lengths[0]), ms: middle / 1000 };
process.stdout.write(`\n${JSON.stringify(figures)}\n`);

/** Returns a timer of the CPU microseconds of a run whose tool returns `length` characters. */
async function timer(length: number, plugins: readonly Plugin[]): Promise<() => Promise<number>> {
  const text = letter.repeat(Math.ceil(length / letter.length)).slice(0, length);
  const read = defineTool({
    name: 'read',
    description: 'Reads.',
    input: { type: 'object' },
    execute: () => text,
  });
  const agent = await createAgent({ model, tools: [read], plugins, log: 'silent' });
  return async () => {
    const begun = process.cpuUsage();
    await agent.run('Read it.');
    return cpuMicros(begun);
  };
}
