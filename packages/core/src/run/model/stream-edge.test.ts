import { describe, expect, it } from 'vitest';

import { assembleContent } from '../../../../testing/src/assemble-content.ts';
import type { AssistantPart } from '../../contract/messages.ts';
import type { Chunk } from '../../contract/model.ts';
import { StreamEdge } from './stream-edge.ts';

const text = (index: number, piece: string): Chunk => ({ type: 'text-delta', index, text: piece });
const call = (index: number, piece: string): Chunk => ({
  type: 'tool-call-delta',
  index,
  id: 'call_1',
  name: 'look',
  text: piece,
});
const look = { type: 'tool-call', id: 'call_1', name: 'look', input: { at: 'it' } } as const;

/** Returns the chunks that a listener gets for these chunks and this content, with which it has to end. */
async function sentFor(chunks: readonly Chunk[], content: readonly AssistantPart[]): Promise<Chunk[]> {
  const sent: Chunk[] = [];
  const edge = new StreamEdge((chunk) => void sent.push(chunk));
  for (const chunk of chunks) await edge.push(chunk);
  await edge.settle({ id: 'm', role: 'assistant', content });
  expect(assembleContent(sent)).toEqual(content);
  // A reader of the deltas alone sees the same, but for files, which have none.
  expect(assembleContent(sent.map(withoutPart))).toEqual(content);
  return sent;
}

function withoutPart(chunk: Chunk): Chunk {
  if (chunk.type !== 'part-end' || chunk.part?.type === 'file') return chunk;
  return { type: 'part-end', index: chunk.index };
}

describe('the edge of a stream', () => {
  it.each<[string, Chunk[], AssistantPart[]]>([
    ['the text', [text(0, 'An app'), text(0, 'le.')], [{ type: 'text', text: 'An apple.' }]],
    ['a call', [call(0, '{"at":'), call(0, '"it"}')], [look]],
    ['argument text that is no JSON', [call(0, '{"at":')], [{ ...look, input: {}, raw: '{"at":' }]],
  ])('sends nothing more when %s is what was shown', async (_, chunks, content) => {
    expect(await sentFor(chunks, content)).toEqual(chunks);
  });

  it.each<[string, Chunk[], AssistantPart[]]>([
    ['the text', [text(0, 'An app')], [{ type: 'text', text: 'An onion.' }]],
    ['the id of a call', [call(0, '{"at":"it"}')], [{ ...look, id: 'call_2' }]],
    ['the name of a call', [call(0, '{"at":"it"}')], [{ ...look, name: 'smell' }]],
    ['the arguments', [call(0, '{"at":"that"}')], [look]],
    ['argument text that is no JSON', [call(0, '{"a":')], [{ ...look, input: {}, raw: '{"at":' }]],
    ['the kind of a part', [call(0, '{}')], [{ type: 'text', text: '{}' }]],
    ['that there is a part more', [text(0, 'One.')], [{ type: 'text', text: 'One.' }, look]],
    ['that there is a part less', [text(0, 'One.'), call(1, '{}')], [{ type: 'text', text: 'One.' }]],
    [
      'the text after what was thought and drawn',
      [{ type: 'reasoning-delta', index: 0, text: 'Hm.' }, text(1, 'An app')],
      [
        { type: 'reasoning', text: 'Hm.' },
        { type: 'file', mediaType: 'image/png', data: 'AQID' },
        { type: 'text', text: 'An onion.' },
      ],
    ],
  ])('starts over with the whole content when it differs by %s', async (_, chunks, content) => {
    const sent = await sentFor(chunks, content);
    expect(sent.filter(({ type }) => type === 'restart')).toHaveLength(1);
    expect(sent[chunks.length]).toEqual({ type: 'restart' });
  });

  it('compares what was shown since the last restart, and starts over only what was shown', async () => {
    const restart: Chunk = { type: 'restart' };
    const draft = [text(0, 'An app'), call(1, '{}'), restart];
    const content: AssistantPart[] = [{ type: 'text', text: 'An onion.' }];
    expect(await sentFor([...draft, text(0, 'An onion.')], content)).toHaveLength(4);
    expect((await sentFor(draft, content)).filter(({ type }) => type === 'restart')).toHaveLength(1);
  });
});
