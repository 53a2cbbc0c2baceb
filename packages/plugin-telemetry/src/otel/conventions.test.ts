import { createAgent, defineTool } from '@shallot/core';
import { modelError, type ChatModel, type Chunk, type ModelResponse } from '@shallot/core/model';
import { afterEach, describe, expect, it, vi } from 'vitest';

import { conventionsOf, type Convention, type ConventionRow } from '../../test/otel/conventions.ts';
import { startOtlp, type OtlpValue, type Received } from '../../test/otel/otlp.ts';
import telemetry, { type TelemetryOptions } from '../index.ts';

afterEach(() => void vi.unstubAllEnvs());

const optIns = { '1.41': '', latest: 'gen_ai_latest_experimental' };
const editions = ['1.41', 'latest'] as const;

const usage = { input: 30, output: 20, total: 50, cacheRead: 4, cacheWrite: 2, reasoning: 1 };
const settings = {
  temperature: 0.5,
  topP: 0.25,
  topK: 3,
  maxOutputTokens: 100,
  stopSequences: ['.'],
  presencePenalty: 0.1,
  frequencyPenalty: 0.2,
  seed: 7,
  provider: { acme: { reasoningEffort: 'high', previousResponseId: 'resp_0' } },
};
const output = { type: 'object', properties: { ripe: { type: 'boolean' } } } as const;

/** Looks and fails to look, then answers; then refuses. */
function cookModel(): ChatModel {
  const answers: ((emit: (chunk: Chunk) => void) => ModelResponse)[] = [
    (emit) => {
      for (const text of ['I ', 'look.']) emit({ type: 'text-delta', index: 0, text });
      const calls = ['look', 'fail'].map(
        (name) => ({ type: 'tool-call', id: name, name, input: { at: 'x' } }) as const,
      );
      const content = [{ type: 'text', text: 'I look.' } as const, ...calls];
      return { ...answered, message: { role: 'assistant', content }, finish: 'tool-calls' };
    },
    () => ({
      ...answered,
      message: { role: 'assistant', content: [{ type: 'text', text: '{"ripe":true}' }] },
      finish: 'stop',
    }),
    () => {
      throw modelError('MODEL_AUTH', { message: 'The key is wrong.' });
    },
  ];
  const answered = { usage, metadata: { id: 'resp_1', model: 'soup-2026' } };
  return {
    id: 'acme/soup',
    server: { address: 'api.acme.test', port: 8443 },
    async generate(_, { emit }) {
      const answer = answers.shift();
      if (answer === undefined) throw new Error('nothing more to say');
      return answer((chunk) => void emit(chunk));
    },
  };
}

/** Returns the data a receiver gets for a run that has everything, and for one that fails. */
async function receivedOf(options: TelemetryOptions): Promise<readonly Received[]> {
  await using otlp = await startOtlp();
  const tool = (name: string, execute: () => string) =>
    defineTool({ name, description: `To ${name}.`, input: { type: 'object' }, execute });
  const agent = await createAgent({
    name: 'cook',
    id: 'cook-1',
    version: '2026-10',
    description: 'Cooks.',
    model: cookModel(),
    instructions: 'Be brief.',
    tools: [
      tool('look', () => 'an onion'),
      tool('fail', () => {
        throw new TypeError('no hands');
      }),
    ],
    plugins: [telemetry({ log: false, ...options })],
    settings,
    log: 'silent',
  });
  const summary = { role: 'user', source: 'summarization', content: 'They want an onion.' } as const;
  const events = agent.stream([summary, { role: 'user', content: 'Is it ripe?' }], {
    sessionId: 'kitchen',
    output,
  });
  for await (const event of events) void event;
  await agent.run('And now?', { sessionId: 'kitchen' }).catch(() => {});
  await agent.close();
  return await otlp.received();
}

/** Attributes of ours beside the conventions' own, by edition and signal. */
const besides: Readonly<Record<string, readonly string[]>> = {
  '1.41 chat': ['gen_ai.conversation.compacted'],
  '1.41 gen_ai.client.inference.operation.details': ['gen_ai.conversation.compacted'],
  '1.41 invoke_agent': ['gen_ai.usage.reasoning.output_tokens'],
  '1.41 execute_tool': ['gen_ai.conversation.id', 'gen_ai.agent.name'],
  'latest execute_tool': ['gen_ai.conversation.id'],
};

const types: Readonly<Record<string, (value: OtlpValue, isEvent: boolean) => boolean>> = {
  string: (value) => 'stringValue' in value,
  int: (value) => 'intValue' in value,
  // A whole number is sent as one.
  double: (value) => 'doubleValue' in value || 'intValue' in value,
  boolean: (value) => 'boolValue' in value,
  'string[]': (value) => 'arrayValue' in value,
  json: (value, isEvent) =>
    isEvent
      ? 'arrayValue' in value || 'kvlistValue' in value
      : typeof value['stringValue'] === 'string' && value['stringValue'] !== '',
};

describe.each(editions)('by edition %s', (edition) => {
  const conventions = conventionsOf(edition);

  it.each([true, false])('all that is sent is as the table has it, with content %s', async (content) => {
    vi.stubEnv('OTEL_SEMCONV_STABILITY_OPT_IN', optIns[edition]);
    const received = await receivedOf({ content: content ? 'both' : false });
    const faults: string[] = [];
    for (const convention of conventions) {
      const own = received.filter(
        ({ signal, name }) => signal === convention.signal && name === convention.name,
      );
      faults.push(...faultsOf(edition, convention, own, content));
    }
    const known = new Set(conventions.map(({ signal, name }) => `${signal} ${name}`));
    const unknown = received
      .map(({ signal, name }) => `${signal} ${name}`)
      .filter((each) => !known.has(each));
    expect({ faults, unknown }).toEqual({ faults: [], unknown: [] });
  });

  it('the table has what is asked of every kind of signal', () => {
    const counts = Object.groupBy(conventions, ({ signal }) => signal);
    expect([counts.Span?.length, counts.Metric?.length, counts.Event?.length]).toEqual(
      edition === '1.41' ? [3, 4, 2] : [3, 14, 2],
    );
    expect(conventions.every(({ rows }) => rows.length > 0)).toBe(true);
  });
});

function faultsOf(
  edition: string,
  { signal, name, form, rows }: Convention,
  received: readonly Received[],
  content: boolean,
): string[] {
  const faults: string[] = [];
  const fault = (what: string): void => void faults.push(`${signal} ${name}: ${what}`);
  if (received.length === 0 && (content || !name.endsWith('.details'))) fault('was not sent');
  for (const each of received) {
    if (each.form !== form) fault(`is ${each.form}, not ${form}`);
    if (edition === '1.41' && each.schemaUrl !== 'https://opentelemetry.io/schemas/1.41.0')
      fault('no schema');
    for (const key of each.attributes.keys()) {
      const isOurs = besides[`${edition} ${name}`]?.includes(key) ?? false;
      if (!key.startsWith('shallot.') && !isOurs && !rows.some((row) => row.name === key))
        fault(`${key} is not in the table`);
    }
  }
  for (const row of rows) faults.push(...rowFaults(row, received, content).map((what) => `${name}: ${what}`));
  return faults;
}

function rowFaults(
  { name, type, level, sent }: ConventionRow,
  received: readonly Received[],
  content: boolean,
): string[] {
  const values = received.map(({ signal, attributes }) => ({
    value: attributes.get(name),
    isEvent: signal === 'Event',
  }));
  const found = values.filter(({ value }) => value !== undefined);
  const isWanted = sent === 'yes' || (content && sent === 'with content');
  const faults: string[] = [];
  if (received.length > 0 && isWanted && found.length === 0) faults.push(`${name} is missing`);
  if (!isWanted && found.length > 0) faults.push(`${name} was sent`);
  if (level === 'required' && found.length < values.length) faults.push(`${name} is not everywhere`);
  const check = types[type];
  if (check === undefined) return [...faults, `the table has the type ${type}`];
  const isWrong = found.some(({ value = {}, isEvent }) => !check(value, isEvent));
  return isWrong ? [...faults, `${name} is no ${type}`] : faults;
}
