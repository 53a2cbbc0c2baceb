import { createAgent, defineTool } from '@shallot/core';
import { scriptedModel } from '@shallot/testing';
import { afterEach, expect, it, vi } from 'vitest';

import { startOtlp, type OtlpValue } from '../../test/otel/otlp.ts';
import telemetry, { type TelemetryOptions } from '../index.ts';

afterEach(() => void vi.unstubAllEnvs());

interface Sent {
  readonly signal: string;
  readonly attributes: ReadonlyMap<string, OtlpValue>;
}

/** Returns the data sent for a run that calls a tool, with insight into another plugin. */
async function sentBy(options: TelemetryOptions, lines: string[] = []): Promise<readonly Sent[]> {
  await using otlp = await startOtlp();
  const look = defineTool({
    name: 'look',
    description: '',
    input: { type: 'object' },
    execute: () => 'seen',
  });
  const agent = await createAgent<{ user: string }>({
    model: scriptedModel([{ toolCalls: [{ name: 'look' }] }, { text: 'Done.' }]),
    tools: [look],
    plugins: [telemetry({ log: false, content: 'events', insight: true, ...options })],
    redact: { secrets: ['hush-hush'] },
    log: 'warn',
    logStream: { write: (line) => void lines.push(line) },
  });
  await agent.run('Look.', { sessionId: 'kitchen', context: { user: 'ann' } });
  await agent.close();
  return await otlp.received();
}

const text = (stringValue: string): OtlpValue => ({ stringValue });
const list = (...values: readonly string[]): OtlpValue => ({ arrayValue: { values: values.map(text) } });

it('user, session, tenant and tags go to all spans and events, by the names of backends', async () => {
  const sent = await sentBy({
    attributes: ({ context, sessionId }) => ({
      user: (context as { user: string }).user,
      session: sessionId,
      tenant: 'acme',
      tags: ['beta', 'web'],
      'app.feature': 'stew',
      count: 2,
      left: undefined,
    }),
  });
  const ofRun = sent.filter(({ signal }) => signal !== 'Metric');
  expect(ofRun.length).toBeGreaterThan(4);
  for (const { attributes } of ofRun) {
    expect(Object.fromEntries(attributes)).toMatchObject({
      'user.id': text('ann'),
      'session.id': text('kitchen'),
      'tenant.id': text('acme'),
      // Langfuse
      'langfuse.trace.metadata.tenant': text('acme'),
      'langfuse.trace.tags': list('beta', 'web'),
      // Phoenix
      metadata: text('{"tenant":"acme"}'),
      'tag.tags': list('beta', 'web'),
      'app.feature': text('stew'),
      count: { intValue: 2 },
    });
    expect(attributes.has('left')).toBe(false);
  }
});

it.each(['', 'gen_ai_latest_experimental'])(
  'metrics get those that are named, edition "%s"',
  async (optIn) => {
    vi.stubEnv('OTEL_SEMCONV_STABILITY_OPT_IN', optIn);
    const sent = await sentBy({
      attributes: { user: 'ann', tenant: 'acme', tags: ['beta'], plan: 'free' },
      metricAttributes: ['tenant', 'plan', 'absent'],
    });
    const metrics = sent.filter(({ signal }) => signal === 'Metric');
    expect(metrics.length).toBeGreaterThan(0);
    for (const { attributes } of metrics) {
      const own = [...attributes.keys()].filter((key) => !/^(?:gen_ai|error|server)\./.test(key));
      expect(own.toSorted()).toEqual(['plan', 'tenant.id']);
    }
  },
);

it('session: true is the id of the session, for a config that is no code', async () => {
  const [first] = await sentBy({ attributes: { session: true } });
  expect(first?.attributes.get('session.id')).toEqual(text('kitchen'));
});

it('none is added where none is asked for', async () => {
  const keys = (await sentBy({})).flatMap(({ attributes }) => Array.from(attributes.keys()));
  expect(keys.filter((key) => /user|session|tenant|tag/.test(key))).toEqual([]);
});

it('a secret in them is removed', async () => {
  const sent = await sentBy({ attributes: { user: 'hush-hush', tags: ['hush-hush'], 'hush-hush': 1 } });
  expect(JSON.stringify(sent.map(({ attributes }) => Array.from(attributes)))).not.toContain('hush-hush');
});

it.each<[string, NonNullable<TelemetryOptions['attributes']>]>([
  [
    'no context',
    () => {
      throw new TypeError('no context');
    },
  ],
  ['The attribute user is of type object.', () => ({ user: { id: 1 } as unknown as string })],
  ['The attribute count is of type number.', () => ({ count: Number.NaN })],
  ['The function returned a number.', () => 3 as never],
  ['The function returned a promise.', (async () => ({ user: 'ann' })) as unknown as () => never],
  ['The function returned a promise.', (() => Promise.reject(new Error('late'))) as () => never],
])('a function that fails loses attributes, and nothing else: %s', async (message, attributes) => {
  const lines: string[] = [];
  const sent = await sentBy({ attributes }, lines);
  expect(sent.filter(({ signal }) => signal === 'Span').length).toBeGreaterThan(3);
  const keys = sent.flatMap(({ attributes: own }) => Array.from(own.keys()));
  expect(keys.filter((key) => /^(?:user|count)\b/.test(key))).toEqual([]);
  expect(lines.join('')).toContain(message);
});
