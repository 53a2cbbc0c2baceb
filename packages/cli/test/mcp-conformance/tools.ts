import { setTimeout as sleep } from 'node:timers/promises';

import { defineTool, type JsonSchema, type ToolContext, type ToolOutput } from '@shallot/core';

const png =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==';
const wav = 'UklGRiQAAABXQVZFZm10IBAAAAABAAEARKwAAIhYAQACABAAZGF0YQAAAAA=';
const image = { type: 'file', mediaType: 'image/png', data: png } as const;

function resource(name: string, mediaType: string, text: string) {
  return { type: 'file', name, mediaType, data: Buffer.from(text).toString('base64') } as const;
}

type Execute = (
  args: unknown,
  context: ToolContext,
) => ToolOutput | Promise<ToolOutput> | AsyncGenerator<unknown, ToolOutput, void>;

function tool(name: string, execute: Execute) {
  const input = { type: 'object', properties: {} } as const;
  return defineTool({ name, description: `Does what the scenarios want of ${name}.`, input, execute });
}

/** Returns the schema of an answer with one field. */
function field(name: string, type: 'string' | 'boolean'): JsonSchema {
  return { type: 'object', properties: { [name]: { type } }, required: [name] };
}

function ask(
  { interrupt }: ToolContext,
  message: string,
  answer: JsonSchema,
  kind = 'question',
): Promise<unknown> {
  return interrupt({ kind, payload: message, answer });
}

export const tools = [
  tool('test_simple_text', () => 'This is a simple text response for testing.'),
  tool('test_image_content', () => ({ content: [image] })),
  tool('test_audio_content', () => ({ content: [{ type: 'file', mediaType: 'audio/wav', data: wav }] })),
  tool('test_embedded_resource', () => ({
    content: [resource('test://embedded-resource', 'text/plain', 'This is an embedded resource content.')],
  })),
  tool('test_multiple_content_types', () => ({
    content: [
      { type: 'text', text: 'Multiple content types test:' },
      image,
      resource('test://mixed-content-resource', 'application/json', '{"test":"data","value":123}'),
    ],
  })),
  tool('test_error_handling', () => {
    throw new Error('This tool intentionally returns an error for testing');
  }),
  tool('test_tool_with_progress', async function* progress() {
    for (const percent of [0, 50, 100]) {
      yield `${percent} of 100`;
      await sleep(50);
    }
    return 'Done.';
  }),
  tool('test_logging_tool', () => 'Nothing is logged to clients.'),
  tool('test_streaming_elicitation', async (_, context) => {
    await ask(context, 'Please confirm', field('ok', 'boolean'));
    return 'Done.';
  }),
  tool('test_input_required_result_elicitation', async (_, context) => {
    const answer = await ask(context, 'What is your name?', field('name', 'string'), 'user_name');
    return `Hello, ${JSON.stringify(answer)}!`;
  }),
  tool('test_input_required_result_request_state', async (_, context) => {
    await ask(context, 'Please confirm', field('ok', 'boolean'));
    return 'state-ok';
  }),
  tool('test_input_required_result_multi_round', async (_, context) => {
    const name = await ask(context, 'Step 1: What is your name?', field('name', 'string'));
    const color = await ask(context, 'Step 2: What is your favorite color?', field('color', 'string'));
    return JSON.stringify([name, color]);
  }),
  tool('test_input_required_result_tampered_state', async (_, context) => {
    await ask(context, 'Please confirm', field('ok', 'boolean'));
    return 'state-ok';
  }),
];
