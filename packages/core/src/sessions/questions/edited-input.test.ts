import { expect, it } from 'vitest';

import type { ToolMessage } from '../../contract/messages.ts';
import { editedInput } from './edited-input.ts';

function messageWith(...answers: readonly ToolMessage['data'][]): ToolMessage {
  const given = answers.map((answer = null) => ({ answer, by: 'local' }));
  return {
    id: 'm',
    role: 'tool',
    callId: 'c',
    name: 'pay',
    content: [],
    metadata: { core: { answers: given } },
  };
}

it('is the arguments of the last edit, and undefined where nobody edited', () => {
  const [first, last] = [1, 2].map((euros) => ({ decision: 'edit', args: { euros } }));
  expect(editedInput(messageWith(first, last, { decision: 'approve' }))).toEqual({ euros: 2 });
  expect(editedInput(messageWith({ decision: 'approve' }, 'edit', null))).toBeUndefined();
  expect(editedInput({ id: 'm', role: 'tool', callId: 'c', name: 'pay', content: [] })).toBeUndefined();
});
