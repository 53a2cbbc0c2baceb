import type { CaseName } from './cases.ts';

/** The observable results of a session, from its first run to its end. */
export interface Seen {
  /** The outcomes of its runs in order, without those that wait for an answer. */
  readonly ends: string;
  /** The kinds of questions that are asked. */
  readonly asks: string;
  /** The calls that reach each model for the script's turns, and the model that answers last. */
  readonly models: string;
  /** The result of the tool that fails once with a transient error. */
  readonly flaky: string;
  /** The result of the call whose arguments are not JSON. */
  readonly malformed: string;
  /** The form in which messages, stream and answer show an e-mail address. */
  readonly address: string;
  /** The outcome of calls to tools that only a plugin brings. */
  readonly listing: string;
  readonly command: string;
  readonly page: string;
  readonly reply: string;
}

export type Aspect = keyof Seen;

/** The aspects that the table has a column for. */
export const aspects = [
  'ends',
  'asks',
  'models',
  'flaky',
  'malformed',
  'address',
  'listing',
  'command',
  'page',
  'reply',
] as const satisfies readonly Aspect[];

/**
 * An outcome, and the layers under which it holds: one layer, or two layers of which the first is outside the second.
 */
export interface Rule {
  readonly with?: string;
  readonly outcome: string;
}

/**
 * The outcomes of the script, by aspect and case. The first rule whose layers are in the stack applies. Other layers
 * change nothing, at any place in the stack.
 */
export const outcomes: Readonly<
  Record<Aspect, Readonly<Partial<Record<CaseName, readonly Rule[]>> & { readonly others: readonly Rule[] }>>
> = {
  ends: {
    'model error, transient': [
      { with: 'model-retry', outcome: 'completed' },
      { with: 'model-fallback', outcome: 'completed' },
      { outcome: 'failed MODEL_OVERLOADED, completed' },
    ],
    'model error, lasting': [
      { with: 'model-fallback', outcome: 'completed' },
      { outcome: 'failed MODEL_AUTH, failed MODEL_AUTH' },
    ],
    'stream breaks': [
      { with: 'model-retry', outcome: 'completed' },
      { with: 'model-fallback', outcome: 'completed' },
      { outcome: 'failed MODEL_STREAM_BROKEN, completed' },
    ],
    'abort before the model': [{ outcome: 'aborted, completed' }],
    'abort in the stream': [{ outcome: 'aborted, completed' }],
    'abort with a model error': [{ outcome: 'aborted, completed' }],
    'abort in a tool': [{ outcome: 'aborted, completed' }],
    'abort in a commit': [{ outcome: 'aborted, completed' }],
    crash: [{ outcome: 'died, completed' }],
    others: [{ outcome: 'completed' }],
  },
  asks: {
    interrupt: [{ with: 'hitl', outcome: 'approval, question' }, { outcome: 'question' }],
    others: [
      { with: 'hitl > ask-user', outcome: 'approval, question' },
      { with: 'ask-user > hitl', outcome: 'approval, question' },
      { with: 'hitl', outcome: 'approval' },
      { with: 'ask-user', outcome: 'question' },
      { outcome: 'none' },
    ],
  },
  models: {
    'model error, transient': [
      { with: 'model-retry > model-fallback', outcome: 'main 3, fallback 1, main last' },
      { with: 'model-retry', outcome: 'main 4, main last' },
      { with: 'model-fallback', outcome: 'main 3, fallback 1, main last' },
      { outcome: 'main 4, main last' },
    ],
    'model error, lasting': [
      { with: 'model-fallback', outcome: 'main 3, fallback 2, fallback last' },
      { outcome: 'main 3, main last' },
    ],
    'stream breaks': [
      { with: 'model-retry > model-fallback', outcome: 'main 3, fallback 1, main last' },
      { with: 'model-retry', outcome: 'main 4, main last' },
      { with: 'model-fallback', outcome: 'main 3, fallback 1, main last' },
      { outcome: 'main 4, main last' },
    ],
    'abort before the model': [{ outcome: 'main 4, main last' }],
    'abort in the stream': [{ outcome: 'main 4, main last' }],
    'abort with a model error': [{ outcome: 'main 4, main last' }],
    'abort in a commit': [{ outcome: 'any' }],
    crash: [{ outcome: 'any' }],
    others: [{ outcome: 'main 3, main last' }],
  },
  flaky: {
    'tool error': [{ with: 'tool-retry', outcome: 'done' }, { outcome: 'failed' }],
    others: [{ outcome: 'done' }],
  },
  malformed: {
    others: [{ with: 'repair', outcome: 'repaired and done' }, { outcome: 'refused' }],
  },
  address: {
    others: [{ with: 'redaction', outcome: 'nothing' }, { outcome: 'shown' }],
  },
  listing: { others: [{ with: 'filesystem', outcome: 'listed' }, { outcome: 'not called' }] },
  command: { others: [{ with: 'shell', outcome: 'executed' }, { outcome: 'not called' }] },
  page: { others: [{ with: 'fetch', outcome: 'refused' }, { outcome: 'not called' }] },
  reply: { others: [{ with: 'ask-user', outcome: 'answered' }, { outcome: 'not called' }] },
};

/** Returns the outcome of an aspect for a stack of layers, outermost first. */
export function outcomeFor(aspect: Aspect, what: CaseName, stack: readonly string[]): string {
  const rules = outcomes[aspect][what] ?? outcomes[aspect].others;
  const rule = rules.find((each) => each.with === undefined || isThere(each.with, stack));
  if (rule === undefined) throw new Error(`No rule for ${aspect} of ${what}.`);
  return rule.outcome;
}

function isThere(layers: string, stack: readonly string[]): boolean {
  const places = layers.split(' > ').map((name) => stack.indexOf(name));
  return places.every((place, index) => place !== -1 && place > (places[index - 1] ?? -1));
}
