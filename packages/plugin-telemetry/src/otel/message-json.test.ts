import { createAgent, definePlugin, defineTool, type AgentOptions, type JsonObject } from '@shallot/core';
import { scriptedModel } from '@shallot/testing';
import { afterEach, describe, expect, it, vi } from 'vitest';

import {
  checkInputMessages,
  checkOutputMessages,
  checkSystemInstructions,
  checkToolDefinitions,
} from '../../test/otel/message-schema.ts';
import { registerTracing, unregister, type FinishedSpan } from '../../test/tracing.ts';
import telemetry, { type TelemetryOptions } from '../index.ts';

afterEach(() => {
  unregister();
  vi.unstubAllEnvs();
});

const png = Buffer.from('a picture').toString('base64');

/** The spans of a conversation that has a part of each kind. */
async function converse(
  options: TelemetryOptions,
  rest: Partial<AgentOptions> = {},
): Promise<FinishedSpan[]> {
  using tracing = registerTracing();
  const look = defineTool({
    name: 'look',
    description: 'Looks.',
    input: { type: 'object', properties: { at: { type: 'string' } } },
    execute: () => ({
      content: [
        { type: 'text', text: 'seen' },
        { type: 'file', mediaType: 'application/pdf', url: 'https://example.com/a.pdf' },
      ],
    }),
  });
  const agent = await createAgent({
    name: 'cook',
    model: scriptedModel([
      {
        toolCalls: [
          { id: 'c1', name: 'look', args: { at: 'x' } },
          { id: 'c2', name: 'count', args: {} },
        ],
        text: 'Wait.',
      },
      { text: 'An onion.' },
    ]),
    instructions: 'Be short.',
    tools: [
      look,
      defineTool({
        name: 'count',
        description: 'Counts.',
        input: { type: 'object' },
        execute: () => ({ n: 3 }),
      }),
    ],
    plugins: [telemetry(options)],
    ...rest,
  });
  await agent.run([
    { role: 'system', content: 'You cook.' },
    {
      role: 'user',
      content: [
        { type: 'text', text: 'What is it?' },
        { type: 'file', mediaType: 'image/png', data: png },
      ],
    },
  ]);
  await agent.close();
  return tracing.spans();
}

function jsonIn(span: FinishedSpan | undefined, key: string): unknown {
  const text = span?.attributes[key];
  if (typeof text !== 'string') throw new Error(`${span?.name ?? 'no span'} has no ${key}`);
  return JSON.parse(text);
}

const contentKeys =
  /^gen_ai\.(input\.messages|output\.messages|system_instructions|tool\.definitions|tool\.call\.(arguments|result))$/;

function keysOfContent(spans: readonly FinishedSpan[]): string[] {
  return spans.flatMap(({ attributes }) => Object.keys(attributes).filter((key) => contentKeys.test(key)));
}

describe('content', () => {
  it('is not recorded unless somebody asks for it', async () => {
    expect(keysOfContent(await converse({}))).toEqual([]);
  });

  it.each(['true', 'SPAN_ONLY', 'span_and_event'])(
    'is recorded when the environment says %s',
    async (value) => {
      vi.stubEnv('OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT', value);
      expect(keysOfContent(await converse({}))).not.toEqual([]);
      expect(keysOfContent(await converse({ content: false }))).toEqual([]);
    },
  );

  it.each(['', 'false', 'EVENT_ONLY', 'yes please'])('is not recorded when it says "%s"', async (value) => {
    vi.stubEnv('OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT', value);
    expect(keysOfContent(await converse({}))).toEqual([]);
  });

  it('is what the schemas of the conventions ask for', async () => {
    const spans = await converse({ content: true });
    const chats = spans.filter(({ name }) => name === 'chat scripted');
    for (const chat of chats) {
      checkInputMessages(jsonIn(chat, 'gen_ai.input.messages'));
      checkOutputMessages(jsonIn(chat, 'gen_ai.output.messages'));
      checkSystemInstructions(jsonIn(chat, 'gen_ai.system_instructions'));
      checkToolDefinitions(jsonIn(chat, 'gen_ai.tool.definitions'));
    }
    expect(chats).toHaveLength(2);
    const root = spans.find(({ name }) => name === 'invoke_agent cook');
    checkInputMessages(jsonIn(root, 'gen_ai.input.messages'));
    checkOutputMessages(jsonIn(root, 'gen_ai.output.messages'));
  });

  it('is all that was said, but for the bytes of files', async () => {
    const spans = await converse({ content: true });
    const last = spans.findLast(({ name }) => name === 'chat scripted');
    expect(jsonIn(last, 'gen_ai.input.messages')).toEqual([
      { role: 'system', parts: [{ type: 'text', content: 'You cook.' }] },
      {
        role: 'user',
        parts: [
          { type: 'text', content: 'What is it?' },
          { type: 'blob', mime_type: 'image/png', modality: 'image', byte_size: 9, content: '' },
        ],
      },
      {
        role: 'assistant',
        parts: [
          { type: 'text', content: 'Wait.' },
          { type: 'tool_call', id: 'c1', name: 'look', arguments: { at: 'x' } },
          { type: 'tool_call', id: 'c2', name: 'count', arguments: {} },
        ],
      },
      {
        role: 'tool',
        parts: [
          {
            type: 'tool_call_response',
            id: 'c1',
            response: [
              { type: 'text', content: 'seen' },
              {
                type: 'uri',
                mime_type: 'application/pdf',
                modality: 'document',
                uri: 'https://example.com/a.pdf',
              },
            ],
          },
        ],
      },
      { role: 'tool', parts: [{ type: 'tool_call_response', id: 'c2', response: '{"n":3}' }] },
    ]);
    expect(jsonIn(last, 'gen_ai.output.messages')).toEqual([
      { role: 'assistant', parts: [{ type: 'text', content: 'An onion.' }], finish_reason: 'stop' },
    ]);
    const tool = spans.find(({ name }) => name === 'execute_tool count');
    expect(jsonIn(tool, 'gen_ai.tool.call.arguments')).toEqual({});
    expect(jsonIn(tool, 'gen_ai.tool.call.result')).toEqual({ n: 3 });
  });

  it('that JSON cannot hold is a loss, said once; the run and its spans are there', async () => {
    const circular: Record<string, JsonObject> = {};
    circular['self'] = circular;
    const lines: string[] = [];
    const odd = definePlugin({
      name: 'odd',
      wrapModelCall: (request, next) =>
        next({ ...request, tools: request.tools?.map((tool) => ({ ...tool, inputSchema: circular })) ?? [] }),
    })();
    const spans = await converse(
      { content: true, log: false },
      {
        plugins: [telemetry({ content: true, log: false }), odd],
        log: 'warn',
        logStream: { write: (line) => lines.push(line) },
      },
    );
    expect(lines).toEqual([
      expect.stringContaining('Telemetry is being lost: OpenTelemetry spans failed with: '),
    ]);
    expect(spans.filter(({ name }) => name === 'chat scripted')).toHaveLength(2);
    expect(spans.find(({ name }) => name === 'invoke_agent cook')?.attributes).toMatchObject({
      'shallot.run.outcome': 'completed',
    });
  });
});
