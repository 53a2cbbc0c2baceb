import { describe, expect, it } from 'vitest';

import { textOf, textPart, type AssistantMessage, type ToolMessage } from './messages.ts';

describe('the text of a message', () => {
  const parts = [textPart('one'), textPart(' two\n'), textPart(''), textPart('three')];

  it('of a tool has a break between its parts', () => {
    const content = [textPart('one'), { type: 'file', mediaType: 'image/png', data: '' } as const, ...parts];
    const message: ToolMessage = { id: 'm', role: 'tool', callId: 'c', name: 't', content };
    expect(textOf(message)).toBe('one\none\n two\nthree');
    expect(textOf({ content })).toBe(textOf(message));
  });

  it('of a model is one, in however many pieces it came', () => {
    const message: AssistantMessage = { id: 'm', role: 'assistant', content: parts };
    expect(textOf(message)).toBe('one two\nthree');
  });
});
