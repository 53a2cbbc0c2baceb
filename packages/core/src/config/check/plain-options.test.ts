import { expect, expectTypeOf, it } from 'vitest';
import { stringify } from 'yaml';

import { scriptedModel } from '../../../../testing/src/scripted-model.ts';
import type { PlainAgentOptions } from '../../contract/agent-options.ts';
import { createAgent } from '../../create-agent.ts';
import type { ShapeInput } from '../../options/option-shape.ts';
import type { plainOptions } from '../../options/plain-options.ts';
import { parseConfigText } from '../load-config.ts';

async function inCode(options: object): Promise<string | undefined> {
  try {
    await using _agent = await createAgent({ model: scriptedModel([]), ...options });
    return undefined;
  } catch (error) {
    return String(error);
  }
}

async function inConfig(options: object): Promise<string | undefined> {
  return parseConfigText(stringify(options), 'shallot.config.yaml').then(() => undefined, String);
}

it.each<object>([
  { name: 'bee', id: 'bee-1', version: '2026-10', description: '' },
  { hookTimeoutMs: Infinity },
  { hookTimeoutMs: 1500.5 },
  { startTimeoutMs: Infinity, closeTimeoutMs: 0.5, modelIdleMs: 1e9, modelTimeoutMs: Infinity },
  { claimMs: 30_000 },
  { maxResultTokens: 5000 },
  { maxResultTokens: Infinity },
  { sessionCacheBytes: 0 },
  { settings: { topK: 40.5, temperature: 0, stopSequences: ['\n'] } },
  { settings: { headers: { a: '' }, provider: { openai: { logprobs: true } } } },
  { instructions: '' },
  { redact: { secrets: [''] } },
])('%j is taken by code and config', async (options) => {
  expect([await inCode(options), await inConfig(options)]).toEqual([undefined, undefined]);
});

it.each<[options: object, fix: string]>([
  [{ name: '' }, 'is ""; write a name.'],
  [{ id: ' ' }, 'is " "; write an id.'],
  [{ version: 2 }, 'is 2; write a version.'],
  [{ maxSteps: 0 }, 'is 0; write a whole number of at least 1.'],
  [{ maxSteps: 1.5 }, 'is 1.5; write a whole number of at least 1.'],
  [{ maxStepsAnswer: 'yes' }, 'is "yes"; write true or false.'],
  [{ toolConcurrency: Infinity }, 'is Infinity; write a whole number of at least 1.'],
  [{ maxResultTokens: 0 }, 'is 0; write a positive number of tokens, or Infinity.'],
  [{ toolErrors: 'reprot' }, 'is "reprot"; did you mean "report"?'],
  [{ hookTimeoutMs: 0 }, 'is 0; write a positive number of milliseconds, or Infinity.'],
  [{ claimMs: Infinity }, 'is Infinity; write a number above 0 and at most 2147483647.'],
  [{ sessionCacheBytes: -1 }, 'is -1; write a whole number of at least 0.'],
  [{ claimMs: null }, 'is null; write a number above 0'],
  [{ settings: [] }, 'is []; write an object with temperature, topP, '],
  [{ settings: { temprature: 1 } }, 'did you mean "temperature"?'],
  [{ settings: { seed: 1.5 } }, 'is 1.5; write a whole number.'],
  [{ settings: { stopSequences: [1] } }, 'is 1; write a non-empty string.'],
  [{ settings: { stopSequences: [''] } }, 'is ""; write a non-empty string.'],
  [{ settings: { headers: { a: 1 } } }, 'is not valid; write a string.'],
  [{ settings: { provider: { openai: true } } }, 'is true; write a JSON object.'],
  [{ maxStep: 1 }, 'did you mean "maxSteps"?'],
])('%j is refused by code and config', async (options, fix) => {
  expect(await inCode(options)).toContain(fix);
  expect(await inConfig(options)).toContain(fix);
});

it('an instance is no record: its keys would not be what was meant', async () => {
  const headers = new Headers({ 'X-Club': 'bees' });
  expect(await inCode({ settings: { headers } })).toContain(
    'The option "settings.headers" of createAgent is not valid; write an object',
  );
});

it('what a type lets through, the description takes', () => {
  type Described = ShapeInput<typeof plainOptions>;
  expectTypeOf<PlainAgentOptions>().toExtend<Described>();
  expectTypeOf<Omit<Described, 'settings' | 'providerTools'>>().toExtend<PlainAgentOptions>();
});

it('every wrong option of an agent is named at once, with the value and what to write', async () => {
  const options = {
    model: { generate: 1 },
    tools: {},
    store: 'memory',
    files: './work',
    log: 'loud',
    tool: [],
  };
  expect(await inCode(options)).toMatchInlineSnapshot(`
    "ShallotError: There is no option "tool" of createAgent; did you mean "tools"?
    The option "model" of createAgent is {"generate":1}; write a model: an object with a generate method.
    The option "tools" of createAgent is {}; write a list.
    The option "store" of createAgent is "memory"; write a store, such as memoryStore().
    The option "files" of createAgent is "./work"; write a files service, or in code a function.
    The option "log" of createAgent is "loud"; write "trace", "debug", "info", "warn", "error", "fatal" or "silent", or a pino logger."
  `);
});
