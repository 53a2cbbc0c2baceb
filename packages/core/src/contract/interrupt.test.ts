import { expect, it } from 'vitest';

import { isInterrupt, InterruptSignal } from './interrupt-signal.ts';
import { unknownEffect, unknownResultText, type Interrupt } from './interrupt.ts';

it('an interrupt is recognised by its brand, of any copy of the core', () => {
  // Only these two members are read.
  const signal = new InterruptSignal({ id: 'i_1', kind: 'approval' } as Interrupt);
  const brand = Symbol.for('shallot.interrupt');
  expect(signal).toMatchObject({ name: 'InterruptSignal', interrupt: { id: 'i_1' } });
  expect(Reflect.get(signal, brand)).toBe(true);
  expect(signal.message).toContain('i_1 (approval)');
  expect([signal, { [brand]: true }, new Error('i_1'), undefined].map(isInterrupt)).toEqual([
    true,
    true,
    false,
    false,
  ]);
});

it('a question about an unknown effect takes an action, and for the model the result or that it is lost', () => {
  const about = { tool: 'send', input: { to: 'a' }, message: 'It may have been sent.' };
  expect(unknownEffect(about)).toMatchObject({
    kind: 'unknown-effect',
    payload: about,
    answer: { required: ['action'], additionalProperties: false },
  });
  expect(unknownResultText({ action: 'result', result: 'Sent.' })).toBe('Sent.');
  expect(unknownResultText({ action: 'result', result: '' })).toBe('');
  expect(unknownResultText({ action: 'result' })).toBe('The call took effect; its result was lost.');
});
