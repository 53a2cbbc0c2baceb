import { expect, it } from 'vitest';

import { foldActivity, noActivity, type Activity } from './activity.ts';

type Event = Parameters<typeof foldActivity>[1];

const after = (...events: readonly Event[]): Activity => events.reduce(foldActivity, noActivity);

const ofChild = (event: Extract<Event, { type: 'child' }>['event']): Event => ({
  type: 'child',
  callId: 'c1',
  sessionId: 'child',
  agent: 'reader',
  address: { agent: 'lead', sessionId: 's', runId: 'r', step: 1, callId: 'c1' },
  event,
});

const result = { id: 'm', role: 'tool', callId: 'x', name: 'read', content: [] } as const;

it('keeps what a child does, and how its calls end', () => {
  const { children } = after(
    ofChild({ type: 'text-delta', index: 0, text: 'gone' }),
    ofChild({ type: 'restart' }),
    ofChild({ type: 'text-delta', index: 0, text: 'I ' }),
    ofChild({ type: 'text-delta', index: 0, text: 'read' }),
    ofChild({ type: 'tool-start', step: 1, callId: 'x', name: 'read', input: {} }),
    ofChild({ type: 'tool-start', step: 1, callId: 'y', name: 'pay', input: {} }),
    ofChild({ type: 'tool-end', step: 1, message: { ...result, isError: true } }),
  );
  expect(children['c1']?.['child']).toEqual({
    agent: 'reader',
    text: 'I read',
    calls: [
      { id: 'y', name: 'pay', state: 'running' },
      { id: 'x', name: 'read', state: 'failed' },
    ],
    isOver: false,
  });
});

it('says which call the model writes, until it has', () => {
  const writing: Event = { type: 'tool-call-delta', index: 0, name: 'pay', text: '{' };
  expect(after({ type: 'step-start', step: 2 }, writing)).toMatchObject({ step: 2, writing: 'pay' });
  expect(after(writing, { type: 'restart' }).writing).toBe(undefined);
  expect(after(writing, { type: 'warning', code: 'X', message: 'odd' }).warnings).toEqual(['odd']);
  expect(after(writing, { type: 'tool-progress', step: 1, callId: 'c', data: 1 }, { type: 'reload' })).toBe(
    noActivity,
  );
});
