import { createAgent, defineTool, type Agent, type RunResult, type Tool } from '@shallot/core';
import type { FilePart } from '@shallot/core/model';
import { collectEvents } from '@shallot/testing';
import { afterAll, beforeEach, expect, it, onTestFinished } from 'vitest';

import { aiSdkModel } from '../../src/index.ts';
import { wireProviders } from './wire-providers.ts';
import { startWire } from './wire-server.ts';

const wire = await startWire();
afterAll(() => wire[Symbol.asyncDispose]());
beforeEach(() => wire.reset());

const image = (bytes: number): FilePart => ({ type: 'file', mediaType: 'image/png', data: base64(bytes) });
const pdf = (bytes: number, name: string): FilePart => ({
  type: 'file',
  mediaType: 'application/pdf',
  data: base64(bytes),
  name,
});

function base64(bytes: number): string {
  return 'A'.repeat(Math.ceil(bytes / 3) * 4);
}

interface Asked {
  readonly result: RunResult | undefined;
  readonly error: unknown;
  readonly warnings: readonly string[];
}

async function agentOn(provider: string, tools: readonly Tool[] = []): Promise<Agent> {
  const found = wireProviders.find(({ name }) => name === provider);
  if (found === undefined) throw new Error(`There is no provider ${provider}.`);
  const agent = await createAgent({ model: aiSdkModel(found.make(wire.url)), tools, log: 'silent' });
  onTestFinished(() => agent.close());
  return agent;
}

async function ask(provider: string, files: readonly FilePart[], text = 'Look.'): Promise<Asked> {
  const agent = await agentOn(provider);
  wire.answer({ text: 'Seen.' });
  const { events, result, error } = await collectEvents(
    agent.stream({ role: 'user', content: [{ type: 'text', text }, ...files] }),
  );
  const warnings = events.flatMap((event) =>
    event.type === 'warning' && event.code === 'FILE_NOT_SENT' ? [event.message] : [],
  );
  return { result, error, warnings };
}

it.each([
  {
    limit: '100 images in a request',
    provider: 'anthropic',
    files: Array.from({ length: 103 }, () => image(90)),
    left: 20,
    page: 'https://platform.claude.com/docs/en/build-with-claude/vision',
  },
  {
    limit: 'images of at most 10 MB as base64',
    provider: 'anthropic',
    files: [image(90), image(8_000_000)],
    left: 1,
    page: 'https://platform.claude.com/docs/en/build-with-claude/vision',
  },
  {
    limit: 'requests of at most 32 MB',
    provider: 'anthropic',
    files: [pdf(24_000_000, 'a.pdf'), pdf(90, 'b.pdf')],
    left: 1,
    page: 'https://platform.claude.com/docs/en/api/overview#request-size-limits',
  },
  {
    limit: 'files of at most 50 MB in a request, all together',
    provider: 'openai, responses',
    files: [pdf(50_000_000, 'a.pdf'), pdf(90, 'b.pdf')],
    left: 1,
    page: 'https://developers.openai.com/api/docs/guides/file-inputs',
  },
  {
    limit: 'PDF files of at most 50 MB',
    provider: 'google',
    files: [pdf(50_000_001, 'a.pdf'), pdf(90, 'b.pdf')],
    left: 1,
    page: 'https://ai.google.dev/gemini-api/docs/file-input-methods',
  },
  {
    limit: 'requests of at most 20 MB',
    provider: 'amazon-bedrock',
    files: [pdf(15_000_000, 'a.pdf'), pdf(90, 'b.pdf')],
    left: 1,
    page: 'https://platform.claude.com/docs/en/api/overview#request-size-limits',
  },
  {
    limit: '20 images in a message',
    provider: 'amazon-bedrock',
    files: Array.from({ length: 23 }, () => image(90)),
    left: 3,
    page: 'https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Message.html',
  },
  {
    limit: '5 documents in a request',
    provider: 'amazon-bedrock',
    files: Array.from({ length: 7 }, (_, index) => pdf(90, `doc-${index}`)),
    left: 2,
    page: 'https://docs.aws.amazon.com/bedrock/latest/userguide/inference-api-restrictions.html',
  },
])('$provider: what is over $limit is left out, with the rule and its page', async (given) => {
  const { result, warnings } = await ask(given.provider, given.files);
  expect(result?.text).toBe('Seen.');
  expect(wire.refusals).toEqual([]);
  const { text = '' } = wire.requests[0] ?? {};
  expect(text.split('is not shown').length - 1).toBe(given.left);
  expect(warnings.length).toBeGreaterThan(0);
  expect(new Set(warnings).size).toBe(warnings.length);
  for (const warning of warnings) {
    expect(warning).toContain(given.limit);
    expect(warning).toContain(`(${given.page})`);
  }
});

it('a request that is too large without files is refused before it is sent', async () => {
  const { error } = await ask('anthropic', [], 'x'.repeat(33_000_000));
  expect(error).toMatchObject({
    code: 'MODEL_CONTEXT_OVERFLOW',
    message: expect.stringContaining(
      'Anthropic accepts requests of at most 32 MB (https://platform.claude.com/docs/en/api/overview#request-size-limits)',
    ) as string,
  });
  expect(wire.requests).toEqual([]);
});

it.each(['openai, responses', 'openai, chat', 'azure'])(
  '%s: 129 tools are refused before they are sent',
  async (name) => {
    const tool = (index: number) =>
      defineTool({
        name: `t${index}`,
        description: 'Looks.',
        input: { type: 'object' },
        execute: () => 'calm',
      });
    const tools = Array.from({ length: 129 }, (_, index) => tool(index));
    const agent = await agentOn(name, tools);
    await expect(agent.run('Look.')).rejects.toMatchObject({
      code: 'MODEL_BAD_REQUEST',
      message: expect.stringMatching(
        /129 tools\. OpenAI accepts at most 128 .*\(https:\/\/developers\.openai\.com\/api\/docs\/guides\/function-calling\)/,
      ) as string,
    });
    expect(wire.requests).toEqual([]);
    wire.answer({ text: 'Seen.' });
    const fewer = await agentOn(name, tools.slice(1));
    expect((await fewer.run('Look.')).text).toBe('Seen.');
  },
);

it('an image that was left out is sent again in a request with room for it', async () => {
  const agent = await agentOn('anthropic');
  const first = { role: 'user', content: [image(90)] } as const;
  const many = { role: 'user', content: Array.from({ length: 100 }, () => image(120)) } as const;
  wire.answer({ text: 'Seen.' }, { text: 'Seen.' });
  await agent.run([first, many]);
  await agent.run([first]);
  expect(imagesIn(wire.requests[0]?.text)).toBe(81);
  expect(imagesIn(wire.requests[1]?.text)).toBe(1);
});

function imagesIn(text = ''): number {
  return text.split('"type":"image"').length - 1;
}
