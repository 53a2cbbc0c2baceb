import { createAgent, defineTool, type RunResult } from '@shallot/core';
import type { FilePart } from '@shallot/core/model';
import { collectEvents } from '@shallot/testing';
import { afterAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';

import { aiSdkModel } from '../../src/index.ts';
import { refuse } from './harms.ts';
import { wireProviders, type WireProvider } from './wire-providers.ts';
import { startWire } from './wire-server.ts';

const wire = await startWire();
afterAll(() => wire[Symbol.asyncDispose]());
beforeEach(() => wire.reset());

/** A picture of 400 kB: as text, it would take more than most contexts. */
const picture: FilePart = {
  type: 'file',
  mediaType: 'image/png',
  data: Buffer.alloc(300_000, 7).toString('base64'),
  name: 'hive.png',
};
const table: FilePart = {
  type: 'file',
  mediaType: 'text/csv',
  data: Buffer.from('hive,days\nh1,9\n').toString('base64'),
  name: 'hives.csv',
};
const drawing: FilePart = {
  type: 'file',
  mediaType: 'application/x-drawing',
  data: 'AAAA',
  name: 'hive.drw',
};

interface Asked {
  readonly result: RunResult;
  readonly warnings: readonly string[];
}

/** A run in which a tool returns these files, or in which the user gives them. */
async function ask(
  { make }: WireProvider,
  { returns = [], gives = [] }: { returns?: readonly FilePart[]; gives?: readonly FilePart[] },
): Promise<Asked> {
  const show = defineTool({
    name: 'show',
    description: 'Shows files.',
    input: { type: 'object', properties: {} },
    execute: () => ({ content: [{ type: 'text' as const, text: 'Here:' }, ...returns] }),
  });
  const agent = await createAgent({ model: aiSdkModel(make(wire.url)), tools: [show], log: 'silent' });
  onTestFinished(() => agent.close());
  const { events, result, error } = await collectEvents(
    agent.stream({ role: 'user', content: [{ type: 'text', text: 'Look.' }, ...gives] }),
  );
  if (result === undefined) throw error as Error;
  const warnings = events.flatMap((event) =>
    event.type === 'warning' && event.code === 'FILE_NOT_SENT' ? [event.message] : [],
  );
  return { result, warnings };
}

const calls = { toolCalls: [{ id: 'call_1', name: 'show', args: '{}' }] };

describe.each(wireProviders)('files, with $name', (provider) => {
  it('reach the model out of the result of a tool, or a line says that they do not', async () => {
    wire.answer(calls, { text: 'A hive.' });
    const { result, warnings } = await ask(provider, { returns: [picture, table] });
    expect(result.text).toBe('A hive.');
    const sent = wire.requests[1]?.text ?? '';
    expect(sent).toContain('h1,9');
    expect(howShown(sent)).toBe(provider.name === 'mistral' ? 'line' : 'picture');
    expect(warnings).toHaveLength(provider.name === 'mistral' ? 1 : 0);
  });

  it('that the provider does not take become a line, text files text, and the run goes on', async () => {
    wire.answer({ text: 'Nine days.' });
    const { result, warnings } = await ask(provider, { gives: [table, drawing] });
    expect(result.text).toBe('Nine days.');
    const sent = wire.requests[0]?.text ?? '';
    expect(sent).toContain('h1,9');
    // Gemini says by itself what it takes, and so does what stands behind the interface of a server of one's own.
    const isSent = sent.includes('AAAA');
    expect(sent.includes('hive.drw (application/x-drawing, 1 KiB) is not shown')).toBe(!isSent);
    expect(warnings).toHaveLength(isSent ? 0 : 1);
  });

  it('that the server refuses are left out, and the run goes on', async () => {
    const body =
      '{"error":{"message":"This model does not support image input.","type":"invalid_request_error"}}';
    wire.answer({ harm: refuse(400, { body }) }, { text: 'I see nothing.' });
    const { result, warnings } = await ask(provider, { gives: [picture] });
    expect(result.text).toBe('I see nothing.');
    expect(howShown(wire.requests[0]?.text ?? '')).toBe('picture');
    expect(howShown(wire.requests[1]?.text ?? '')).toBe('line');
    expect(warnings).toEqual([expect.stringContaining('hive.png (image/png, 293 KiB) is not shown')]);
  });
});

/** The form of the picture in a request: bytes that a provider takes for a picture, text, or a line. */
function howShown(body: string): 'picture' | 'text' | 'line' {
  const data = picture.data ?? '';
  if (!body.includes(data.slice(0, 100))) return body.includes('is not shown') ? 'line' : 'text';
  const texts: string[] = [];
  JSON.parse(body, (key, value: unknown) => {
    if (typeof value === 'string' && ['text', 'content', 'output'].includes(key)) texts.push(value);
    return value;
  });
  return texts.some((text) => text.includes(data.slice(0, 100))) ? 'text' : 'picture';
}

it('a picture that is too large for Bedrock is never sent, and a line says so', async () => {
  const bedrock = wireProviders.find(({ name }) => name === 'amazon-bedrock');
  if (bedrock === undefined) throw new Error('The list of providers has no Bedrock.');
  wire.answer(calls, { text: 'A hive.' });
  const large = { ...picture, data: 'A'.repeat(6 * 1024 * 1024), name: 'large.png' };
  const { warnings } = await ask(bedrock, { gives: [large], returns: [picture] });
  expect(warnings).toEqual([expect.stringContaining('large.png')]);
  expect(wire.refusals).toEqual([]);
  expect(wire.requests[0]?.text.length).toBeLessThan(1024 * 1024);
});

it('documents have names that Bedrock accepts, each once, and a text beside them', async () => {
  const bedrock = wireProviders.find(({ name }) => name === 'amazon-bedrock');
  if (bedrock === undefined) throw new Error('The list of providers has no Bedrock.');
  wire.answer(calls, { text: 'Honey.' });
  const named = (name?: string): FilePart => ({
    type: 'file',
    mediaType: 'application/pdf',
    data: 'AAAA',
    ...(name === undefined ? {} : { name }),
  });
  const model = aiSdkModel(bedrock.make(wire.url));
  const show = defineTool({
    name: 'show',
    description: 'Shows files.',
    input: { type: 'object', properties: {} },
    execute: () => ({ content: [named('Report.pdf'), named()] }),
  });
  const agent = await createAgent({ model, tools: [show], log: 'silent' });
  onTestFinished(() => agent.close());
  await agent.run({
    role: 'user',
    content: [named('bees  &  hives, v1.2.pdf'), named('report.pdf'), named()],
  });
  expect(wire.refusals).toEqual([]);
  const sent = wire.requests[1]?.text ?? '';
  expect(sent.match(/"name":"[^"]*","source"/g)?.map((name) => name.slice(8, -10))).toEqual([
    'bees - hives- v1-2',
    'report',
    'document',
    'Report (2)',
    'document (2)',
  ]);
});
