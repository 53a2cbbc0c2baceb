import { createAgent } from '@shallot/core';
import { modelError } from '@shallot/core/model';
import { scriptedModel, type ScriptedStep } from '@shallot/testing';
import { afterEach, describe, expect, it, vi } from 'vitest';

import { startOtlp, type Received } from '../../test/otel/otlp.ts';
import telemetry, { type TelemetryOptions } from '../index.ts';

afterEach(() => void vi.unstubAllEnvs());

async function received(options: TelemetryOptions, ...steps: ScriptedStep[]): Promise<readonly Received[]> {
  await using otlp = await startOtlp();
  const agent = await createAgent({
    model: scriptedModel(steps),
    instructions: 'Be brief.',
    plugins: [telemetry({ log: false, ...options })],
    redact: { secrets: ['hush-hush'] },
    log: 'silent',
  });
  await agent.run('Say hush-hush.').catch(() => {});
  await agent.close();
  return await otlp.received();
}

const hello: ScriptedStep = { text: 'hush-hush', usage: { input: 3, output: 2, total: 5 } };
const details = 'gen_ai.client.inference.operation.details';
const messages = 'gen_ai.input.messages';
const namesOf = (all: readonly Received[]): string[] =>
  all.filter(({ signal }) => signal === 'Event').map(({ name }) => name);

describe('events of model calls', () => {
  it.each<[content: TelemetryOptions['content'], variable: string, spans: boolean, events: boolean]>([
    [undefined, '', false, false],
    [false, 'span_and_event', false, false],
    [true, '', true, false],
    ['spans', 'event_only', true, false],
    ['events', '', false, true],
    ['both', '', true, true],
    [undefined, 'true', true, false],
    [undefined, 'span_only', true, false],
    [undefined, 'event_only', false, true],
    [undefined, 'SPAN_AND_EVENT', true, true],
    [undefined, 'no_content', false, false],
  ])(
    'with content %s and the variable "%s": spans %s, events %s',
    async (content, variable, spans, events) => {
      vi.stubEnv('OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT', variable);
      const all = await received(content === undefined ? {} : { content }, hello);
      expect({
        spans: all.some(({ signal, attributes }) => signal === 'Span' && attributes.has(messages)),
        events: namesOf(all).includes(details),
      }).toEqual({ spans, events });
    },
  );

  it('belong to the span of their call, have its attributes, and no secret', async () => {
    const all = await received({ content: 'events' }, hello);
    const chat = all.find(({ signal, name }) => signal === 'Span' && name === 'chat');
    const event = all.find(({ name }) => name === details);
    expect(event?.spanId).toBe(chat?.spanId);
    for (const [key, value] of chat?.attributes ?? [])
      expect([key, event?.attributes.get(key)]).toEqual([key, value]);
    expect(event?.attributes.get('gen_ai.usage.input_tokens')).toEqual({ intValue: 3 });
    const said = JSON.stringify([...(event?.attributes ?? [])]);
    expect(said).toContain('Say [redacted].');
    expect(said).not.toContain('hush-hush');
  });

  it('tell what a call failed with, as warnings', async () => {
    const error = modelError('MODEL_RATE_LIMITED', { message: 'Too much of hush-hush.' });
    const all = await received({}, { error });
    const event = all.find(({ signal }) => signal === 'Event');
    expect(event).toMatchObject({ name: 'gen_ai.client.operation.exception', form: 'severity 13' });
    expect(event?.spanId).toBe(all.find(({ name }) => name === 'chat')?.spanId);
    expect(event?.attributes.get('exception.type')).toEqual({ stringValue: 'MODEL_RATE_LIMITED' });
    const text = JSON.stringify([...(event?.attributes ?? [])]);
    expect(text).toContain('Too much of [redacted].');
    expect(text).toContain('event-sink.test.ts');
    expect(text).not.toContain('hush-hush');
  });
});
