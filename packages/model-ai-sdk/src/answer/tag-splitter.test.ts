import { describe, expect, it } from 'vitest';

import { splitThoughts, TagSplitter, type ReasoningTag } from './tag-splitter.ts';

const think: ReasoningTag = { name: 'think' };
const opened: ReasoningTag = { name: 'think', opened: true };
const said = (text: string) => ({ type: 'text', text });
const thought = (text: string) => ({ type: 'reasoning', text });

const answers: readonly (readonly [string, ReasoningTag, string, readonly object[]])[] = [
  ['a thought, then text', think, '<think>\nhm\n</think>\n\nCalm.\n', [thought('hm'), said('Calm.\n')]],
  ['blanks before the tag', think, '\n <think>hm</think>Calm.', [thought('hm'), said('Calm.')]],
  ['a blank thought', think, '<think>\n\n</think>\n\nCalm.', [said('Calm.')]],
  ['a thought without an end', think, '<think>hm, a < b \n', [thought('hm, a < b')]],
  ['nothing but a thought', think, '<think>hm</think>\n', [thought('hm')]],
  ['no tag', think, ' Calm <b>.', [said(' Calm <b>.')]],
  ['no text', think, '', []],
  ['blanks alone', think, '\n\n', [said('\n\n')]],
  ['half a tag', think, '<thi', [said('<thi')]],
  ['half an end', think, '<think>hm</thi', [thought('hm</thi')]],
  ['two thoughts', think, '<think>a</think>\n<think>b</think> Calm.', [thought('a\nb'), said('Calm.')]],
  ['a text that speaks of the tag', think, 'Write <think>a</think>.', [said('Write <think>a</think>.')]],
  ['another tag', think, '<thinking>a</thinking>', [said('<thinking>a</thinking>')]],
  ['a tag inside of a thought', think, '<think>a <think> b</think>c', [thought('a <think> b'), said('c')]],
  ['an end that is repeated', think, '<think>a</think>b</think>c', [thought('a'), said('b</think>c')]],
  ['a tag that the template opens', opened, 'hm\n</think>\n\nCalm.', [thought('hm'), said('Calm.')]],
  ['an opened tag without an end', opened, 'hm', [thought('hm')]],
];

describe.each(answers)('%s', (_, tag, text, expected) => {
  it('is split whole', () => {
    expect(splitThoughts(text, tag)).toEqual(expected);
  });

  it('is split alike wherever it is cut', () => {
    for (let size = 1; size < text.length; size += 1) {
      const splitter = new TagSplitter(tag);
      const pieces = text.match(new RegExp(`[^]{1,${size}}`, 'g')) ?? [];
      const all = [...pieces.flatMap((piece) => splitter.take(piece)), ...splitter.end()];
      expect(joined(all)).toEqual(joined(expected as typeof all));
    }
  });
});

/** Pieces of one kind are one part of an answer. */
function joined(pieces: ReturnType<typeof splitThoughts>): readonly object[] {
  const parts: { readonly type: string; text: string }[] = [];
  for (const { type, text } of pieces) {
    const last = parts.at(-1);
    if (last?.type === type) last.text += text;
    else parts.push({ type, text });
  }
  return parts;
}
