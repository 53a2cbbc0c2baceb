// A conversation of 200 rounds with summarization, memory and skills, and a large tool call in each round. It ends with
// a report of the requests that the model received: `node --expose-gc two-hundred-rounds.ts`. With `one-run` all rounds
// are in one run; with `unreported` the model does not report its usage.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { createAgent, defineTool, safeName, textOf } from '@shallot/core';
import { diskFiles } from '@shallot/core/files';
import type { ModelRequest } from '@shallot/core/model';
import { sqliteStore } from '@shallot/core/sqlite';
import { memory } from '@shallot/plugin-memory';
import { skills } from '@shallot/plugin-skills';
import { summarization } from '@shallot/plugin-summarization';

import { countedModel } from './counted-model.ts';

const rounds = 200;
const isOneRun = process.argv.includes('one-run');
const sessionId = 'long';
const rule = 'Jars are counted before they are sold.';
const step = '1. Light the smoker, and wait until its smoke is cool.';

const folder = mkdtempSync(join(tmpdir(), 'shallot-rounds-'));
const files = diskFiles(folder);
await files.write(
  '/AGENTS.md',
  `# Rules\n\n- ${rule}\n${'- A rule of the club among many others.\n'.repeat(600)}`,
);
await files.write(
  '/skills/inspect-a-hive/SKILL.md',
  `---\nname: inspect-a-hive\ndescription: How to inspect a hive.\n---\n${step}\n${'2. Look at the next frame.\n'.repeat(100)}`,
);

const model = countedModel({
  contextTokens: 24_000,
  writes: isOneRun ? rounds : 1,
  reports: !process.argv.includes('unreported'),
  check,
});
const store = sqliteStore(`${folder}/sessions.db`);
const writeFile = defineTool({
  name: 'write_file',
  description: 'Writes a file.',
  input: {
    type: 'object',
    properties: { path: { type: 'string' }, content: { type: 'string' } },
    required: ['path', 'content'],
  },
  // Unlimited, because the results are meant to fill the context.
  maxResultTokens: Infinity,
  execute(args) {
    const { path, content } = args as { readonly path: string; readonly content: string };
    // The result is as large as the arguments, like a diff or the output of a linter.
    return `${path} is written:\n${content}`;
  },
});
const agent = await createAgent({
  model,
  files,
  store,
  tools: [writeFile],
  maxSteps: rounds + 10,
  instructions: 'You keep the books of a bee club.',
  plugins: [summarization(), memory(), skills()],
});

const faults: string[] = [];
const samples: Sample[] = [];
let round = 0;

/** Checks a request, and records every fault in it. */
function check(request: ModelRequest, tokens: number): void {
  const { instructions, messages, tools } = request;
  const fault = (what: string): void => void faults.push(`round ${round}, call ${model.calls}: ${what}`);
  if (tokens > model.contextTokens) fault(`${tokens} tokens`);
  const texts = messages.map((message) => textOf(message));
  if (texts.some((text) => text.includes(rule))) fault('memory is among the messages');
  if (tools === undefined) {
    if (instructions.includes(rule) || instructions.includes(step))
      fault('a summary is told of memory or skills');
    return;
  }
  if (!instructions.includes(rule)) fault('memory is not in the instructions');
  const places = [instructions, ...texts].filter((text) => text.includes(step)).length;
  if (model.calls > 1 && places !== 1) fault(`the skill that was read is there ${places} times`);
  const summaries = messages.filter(({ source }) => source === 'summarization').length;
  if (summaries > 1) fault(`${summaries} summaries`);
  if (!texts.some((text) => text.startsWith(`Round ${round}:`))) fault('the question is gone');
  if (model.calls >= (samples.length + 1) * 50) takeSample(messages.length);
}

interface Sample {
  readonly calls: number;
  readonly summaries: number;
  readonly heapBytes: number;
  /** The number of messages that were sent at any time and that the process still holds. */
  readonly held: number;
  /** The number of messages in this request. */
  readonly messages: number;
}

function takeSample(messages: number): void {
  globalThis.gc?.();
  const { calls, summaries, held } = model.report();
  samples.push({ calls, summaries, heapBytes: process.memoryUsage().heapUsed, held, messages });
}

while (round < (isOneRun ? 1 : rounds)) {
  round += 1;
  await agent.run(`Round ${round}: ${round === 1 ? 'read the skill' : 'write the books'}.`, { sessionId });
}
const record = await store.load(sessionId);
await agent.close();
await store.close?.();

const history = readFileSync(join(folder, 'conversation_history', `${safeName(sessionId)}.md`), 'utf8');
const kept = (record?.messages ?? []).map((message) => JSON.stringify(message.content)).join('\n');
const written = Array.from({ length: rounds - 1 }, (_, at) => `/books/${at + 2}.md is written:`);
const lost = written.filter((text) => !history.includes(text) && !kept.includes(text));
rmSync(folder, { recursive: true, force: true });

const { calls, summaries, maxTokens, totalTokens } = model.report();
const stateBytes = JSON.stringify(record?.state ?? {}).length;
console.log(
  JSON.stringify(
    { calls, summaries, maxTokens, totalTokens, stateBytes, faults, lost, samples },
    undefined,
    2,
  ),
);
