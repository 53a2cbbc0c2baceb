import { describe, expect, it } from 'vitest';

import { message } from '../../../testing/src/store/store-samples.ts';
import type { AssistantMessage, Message } from '../contract/messages.ts';
import type { FinishReason } from '../contract/model.ts';
import type { InboxEntry } from '../contract/work/inbox.ts';
import type { Turn } from './model/model-turn.ts';
import { Verdict } from './parts/verdict.ts';
import { afterAnswer, planTurn } from './plan-turn.ts';
import type { RunParts } from './run-parts.ts';

const sent: InboxEntry = { id: 'e', message: message('sent') };

interface Given {
  readonly verdict?: Verdict;
  readonly sent?: readonly InboxEntry[] | Promise<readonly InboxEntry[]>;
  readonly isStopping?: boolean;
  readonly step?: number;
  readonly hasBackground?: boolean;
}

/** A run of at most five steps. */
function runOf(given: Given = {}): RunParts {
  const { verdict = new Verdict(), sent: held = [], isStopping = false, step = 2 } = given;
  const { hasBackground = false } = given;
  let count = 0;
  return {
    terms: { id: 'r', parts: { maxSteps: 5 }, model: { output: undefined } },
    record: {
      verdict,
      progress: { step, hasBackground },
      newMessageId: () => `new_${(count += 1)}`,
      session: { holdSent: () => held, hasCall: () => false, hasMessage: () => false },
    },
    life: { isStopping, orAbort: <T>(promise: Promise<T>) => promise },
    signs: { warn: () => {} },
  } as unknown as RunParts;
}

const call = (id: string) => ({ type: 'tool-call', id, name: 'work', input: {} }) as const;

function turnOf(content: AssistantMessage['content'], finish: FinishReason = 'stop', isEmpty = false): Turn {
  return {
    response: { message: { id: 'm', role: 'assistant', content }, finish },
    isEmpty,
  } as unknown as Turn;
}

const answer: AssistantMessage['content'] = [{ type: 'text', text: 'Done.' }];

const shown = ({ id, role, content }: Message): string =>
  `${id} ${role} ${content.map((part) => ('text' in part ? part.text : part.type)).join()}`;

async function planned(given: Given, turn: Turn, isLast = false): Promise<object> {
  const { added, lastWord, ...plan } = await planTurn(runOf(given), turn, isLast);
  const said =
    lastWord === undefined ? {} : { said: [lastWord.message.id, lastWord.finish, lastWord.isShown] };
  return { ...plan, ...said, added: added.map(shown) };
}

function ended(): Verdict {
  const verdict = new Verdict();
  verdict.end(undefined, 'ended', 'audit', () => 'x');
  return verdict;
}

function again(...messages: readonly Message[]): Verdict {
  const verdict = new Verdict();
  verdict.again(messages);
  return verdict;
}

describe('after an answer the run', () => {
  it.each<[FinishReason, string]>([
    ['stop', 'answer'],
    ['other', 'answer'],
    ['length', 'length'],
    ['content-filter', 'content-filter'],
  ])('ends, and says that it finished with %s', async (finish, reason) => {
    expect(await planned({}, turnOf(answer, finish))).toEqual({
      next: 'end',
      reason,
      said: ['m', finish, true],
      added: ['m assistant Done.'],
    });
  });

  it('ends at its last step with a reason of its own', async () => {
    expect(await planned({}, turnOf(answer, 'length'), true)).toMatchObject({ reason: 'max-steps' });
    expect(await planned({}, turnOf(answer, 'paused'), true)).toMatchObject({
      next: 'end',
      reason: 'max-steps',
    });
  });

  it('goes on if the provider has only paused', async () => {
    expect(await planned({}, turnOf(answer, 'paused'))).toEqual({
      next: 'step',
      added: ['m assistant Done.'],
    });
  });

  it.each<[string, Given, string]>([
    ['for a message that was sent', { sent: [sent] }, 'step'],
    ['for one that a store finds later', { sent: Promise.resolve([sent]) }, 'step'],
    ['for children in the background', { hasBackground: true }, 'children'],
    ['for children that a store knows later', { hasBackground: true, sent: Promise.resolve([]) }, 'children'],
  ])('goes on %s', async (_, given, next) => {
    expect(await planned(given, turnOf(answer))).toEqual({ next, added: ['m assistant Done.'] });
    expect(await afterAnswer(runOf(given))).toBe(next);
  });

  it.each<[string, Given]>([
    ['a plugin has ended it', { verdict: ended() }],
    ['it is to stop', { isStopping: true }],
    ['it has no step left', { step: 5 }],
  ])('ends all the same if %s', async (_, given) => {
    const waiting = { ...given, sent: [sent], hasBackground: true };
    expect(await planned(waiting, turnOf(answer))).toMatchObject({ next: 'end' });
    expect(await afterAnswer(runOf(waiting))).toBe('end');
  });

  it('goes on in the step before the last', async () => {
    expect(await afterAnswer(runOf({ step: 4, sent: [sent] }))).toBe('step');
  });
});

describe('after tool calls the run', () => {
  const calls = [call('a'), call('b')];

  it.each<FinishReason>(['stop', 'tool-calls', 'paused', 'other'])(
    'executes them after %s',
    async (finish) => {
      expect(await planned({}, turnOf(calls, finish))).toEqual({
        next: 'tools',
        added: ['m assistant tool-call,tool-call'],
      });
    },
  );

  it.each<FinishReason>(['length', 'content-filter'])(
    'answers them after %s, which cut them off',
    async (finish) => {
      const plan = (await planned({}, turnOf(calls, finish))) as { readonly added: readonly string[] };
      expect(plan).toMatchObject({ next: 'step' });
      expect(plan.added.slice(1)).toEqual([
        expect.stringMatching(`new_1 tool .*the answer was cut off \\(${finish}\\)`),
        expect.stringMatching(`new_2 tool .*the answer was cut off \\(${finish}\\)`),
      ]);
    },
  );

  it('answers them at its last step', async () => {
    const plan = (await planned({}, turnOf(calls), true)) as { readonly added: readonly string[] };
    expect(plan).toMatchObject({ next: 'end', reason: 'max-steps' });
    expect(plan).not.toHaveProperty('said');
    expect(plan.added[2]).toMatch(/the run has reached its last step/);
  });
});

describe('after a plugin has asked for one more step the run', () => {
  it('answers open calls, and adds the messages', async () => {
    const given = { verdict: again(message('more')) };
    const { added, ...plan } = (await planned(given, turnOf([call('a')]))) as {
      readonly added: readonly string[];
    };
    expect(plan).toEqual({ next: 'step' });
    expect(added[1]).toMatch(/^new_1 tool .*another step was requested/);
    expect(added.slice(2)).toEqual(['more user text of more']);
    expect(given.verdict.more).toBeUndefined();
  });

  it('ends if it has none left', async () => {
    expect(await planned({ verdict: again() }, turnOf(answer), true)).toMatchObject({ next: 'end' });
  });
});

describe('after a plugin has ended it the run', () => {
  it('keeps the answer of the model', async () => {
    expect(await planned({ verdict: ended() }, turnOf(answer))).toEqual({
      next: 'end',
      said: ['m', undefined, true],
      added: ['m assistant Done.'],
    });
  });

  it('answers open calls, and has no answer then', async () => {
    const plan = (await planned({ verdict: ended() }, turnOf([...answer, call('a')]))) as {
      readonly added: readonly string[];
    };
    expect(plan).not.toHaveProperty('said');
    expect(plan.added[1]).toMatch(/^new_1 tool .*the run was ended/);
  });

  it('keeps no empty answer', async () => {
    expect(await planned({ verdict: ended() }, turnOf([], 'stop', true))).toEqual({ next: 'end', added: [] });
  });
});
