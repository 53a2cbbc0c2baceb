import { describe, expect, it } from 'vitest';

import type { AssistantPart } from '../../contract/messages.ts';
import type { Chunk, ModelResponse } from '../../contract/model.ts';
import { mapText } from './map-text.ts';
import { MappedStream } from './mapped-stream.ts';
import type { WholeMapping } from './text-mapping.ts';
import { UnitStage } from './unit-stage.ts';

const shout: WholeMapping = {
  stage: () => new UnitStage((text) => text.toUpperCase(), 'line'),
  part: (part) => (part.type === 'text' ? { ...part, text: part.text.toUpperCase() } : part),
};
const shoutArguments: WholeMapping = { ...shout, input: (input) => ({ changed: input }) };

/** Pushes chunks into a stream, and returns the chunks that come out of it. */
async function mapped(mapping: WholeMapping, ...chunks: readonly Chunk[]): Promise<readonly Chunk[]> {
  const out: Chunk[] = [];
  const stream = new MappedStream(mapping, (chunk) => void out.push(chunk));
  for (const chunk of chunks) await stream.push(chunk);
  await stream.end();
  return out;
}

const text = (index: number, piece: string): Chunk => ({ type: 'text-delta', index, text: piece });
const reasoning = (index: number, piece: string): Chunk => ({ type: 'reasoning-delta', index, text: piece });
const call = (index: number, piece: string, more: { id?: string; name?: string } = {}): Chunk => ({
  type: 'tool-call-delta',
  index,
  text: piece,
  ...more,
});
const end = (index: number, part?: AssistantPart): Chunk => ({
  type: 'part-end',
  index,
  ...(part && { part }),
});

describe('texts', () => {
  it('of several parts are changed apart, each to its end', async () => {
    expect(await mapped(shout, text(0, 'a'), text(1, 'b\nc'), text(0, 'd'), end(1), text(0, 'e'))).toEqual([
      text(1, 'B\n'),
      text(1, 'C'),
      end(1),
      text(0, 'ADE'),
    ]);
  });

  it('are whole at the end of their part', async () => {
    expect(await mapped(shout, text(0, 'a'), end(0, { type: 'text', text: 'a' }), end(1))).toEqual([
      text(0, 'A'),
      end(0, { type: 'text', text: 'A' }),
      end(1),
    ]);
  });

  it('of reasoning are changed if the mapping says so', async () => {
    expect(await mapped(shout, reasoning(0, 'a'), text(1, 'b'))).toEqual([reasoning(0, 'a'), text(1, 'B')]);
    expect(await mapped({ ...shout, reasoning: true }, reasoning(0, 'a'))).toEqual([reasoning(0, 'A')]);
    expect(await mapped({ ...shout, reasoning: false }, reasoning(0, 'a'))).toEqual([reasoning(0, 'a')]);
  });
});

describe('the arguments of a call', () => {
  it('stay as they are, piece by piece, unless the mapping changes them', async () => {
    const chunks = [call(0, '{"a"', { id: 'c', name: 'look' }), call(0, ':1}'), end(0)];
    expect(await mapped(shout, ...chunks)).toEqual(chunks);
  });

  it('are changed as a whole, and the name is sent at once', async () => {
    const chunks = [
      call(0, '{"a"', { name: 'look' }),
      call(0, ':', { id: 'c' }),
      call(0, '1', { name: 'at' }),
      call(0, '}'),
    ];
    expect(await mapped(shoutArguments, ...chunks, end(0))).toEqual([
      call(0, '', { name: 'look' }),
      call(0, '', { id: 'c' }),
      call(0, '', { name: 'at' }),
      call(0, '{"changed":{"a":1}}'),
      end(0),
    ]);
  });

  it('that are cut off are changed as text', async () => {
    expect(await mapped(shoutArguments, call(0, '{"a":'), call(0, '"x\ny'))).toEqual([
      call(0, ''),
      call(0, '{"A":"X\nY'),
    ]);
  });

  it('are none if none came', async () => {
    expect(await mapped(shoutArguments, call(0, ''), end(0))).toEqual([call(0, ''), end(0)]);
  });
});

describe('a mapping that throws', () => {
  const picky: WholeMapping = {
    ...shout,
    stage: () =>
      new UnitStage((line) => {
        if (line === 'bad') throw new Error('refused');
        return line;
      }, 'line'),
  };

  it('ends the stream, until the answer starts again', async () => {
    expect(await mapped(picky, text(0, 'good\nbad\n'), text(1, 'more\n'), end(0))).toEqual([]);
    const again = [{ type: 'restart' }, text(0, 'good\n')] as const;
    expect(await mapped(picky, text(0, 'bad\n'), ...again)).toEqual(again);
  });
});

it('the listener sets the pace, chunk by chunk', async () => {
  const lines: string[] = [];
  const stream = new MappedStream(shout, async (chunk) => {
    lines.push(`${chunk.type} begins`);
    await Promise.resolve();
    lines.push(`${chunk.type} ends`);
  });
  expect(stream.push(text(0, 'held back'))).toBeUndefined();
  await stream.push(end(0));
  expect(lines).toEqual(['text-delta begins', 'text-delta ends', 'part-end begins', 'part-end ends']);
});

describe('a response', () => {
  const scope = { emit: undefined };
  const respond = (...content: readonly AssistantPart[]): ModelResponse => ({
    message: { role: 'assistant', content },
    finish: 'stop',
  });

  it.each<readonly [string, AssistantPart, AssistantPart]>([
    ['text', { type: 'text', text: 'a\nb' }, { type: 'text', text: 'A\nB' }],
    ['reasoning', { type: 'reasoning', text: 'a' }, { type: 'reasoning', text: 'a' }],
    [
      'a call',
      { type: 'tool-call', id: 'c', name: 'a', input: {} },
      { type: 'tool-call', id: 'c', name: 'a', input: {} },
    ],
  ])('of %s without a stream is changed as in one', async (_, part, wanted) => {
    const response = respond(part);
    const layer = mapText((line) => line.toUpperCase());
    expect(await layer({} as never, async () => response, scope)).toEqual(respond(wanted));
  });

  it('in which nothing changes is the very same', async () => {
    const response = respond({ type: 'text', text: 'A' }, { type: 'reasoning', text: 'a' });
    const layer = mapText((line) => line.toUpperCase());
    expect(await layer({} as never, async () => response, scope)).toBe(response);
  });

  it('has changed reasoning if the mapping says so', async () => {
    const { stage } = shout;
    const response = respond({ type: 'reasoning', text: 'a' }, { type: 'text', text: 'A' });
    const changed = await mapText({ stage, reasoning: true })({} as never, async () => response, scope);
    expect(changed.message.content.map((part) => 'text' in part && part.text)).toEqual(['A', 'A']);
    expect(changed.message.content[1]).toBe(response.message.content[1]);
  });
});
