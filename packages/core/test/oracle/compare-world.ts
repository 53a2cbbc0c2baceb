import { isDeepStrictEqual } from 'node:util';

import type { Message } from '../../src/contract/messages.ts';
import type { SessionRecord } from '../../src/store.ts';
import type { Course } from './course.ts';
import type { CallInput, Decision, Outcome, PlainMessage } from './model/session.ts';
import { effectText } from './model/tool-calls.ts';
import { undisturbed, type Said } from './model/undisturbed.ts';
import { answerText, type World } from './model/world.ts';
import { OpenSteps } from './open-steps.ts';
import { playWorld } from './play-world.ts';

/** The result of comparing a world. */
export interface Comparison {
  readonly course: Course;
  /** The number of steps of all its runs. */
  readonly steps: number;
  /** The differences between the core and the oracle; empty if they agree. */
  readonly differences: readonly string[];
}

/** Plays a world, and compares the outcome with the one that the oracle predicts. */
export async function compareWorld(world: World): Promise<Comparison> {
  const { course, records } = await playWorld(world);
  const steps = records.reduce((sum, { run }) => sum + (run?.step ?? 0), 0);
  if (records.length < world.runs.length)
    return { course, steps, differences: [...course.problems, 'it has no end'] };
  const found = outcomeOf(course, records);
  const open = new OpenSteps(course);
  const expected = undisturbed(world, saidIn(course, found.messages, open));
  const differences = [
    ...course.problems,
    ...differing('messages', expected.messages, found.messages),
    ...differing('counts', sorted(expected.counts), sorted(found.counts)),
    ...differing('decisions', expected.decisions, found.decisions),
    ...differing(
      'questions',
      open.withoutQuestions(expected.questions),
      open.withoutQuestions(found.questions),
    ),
    ...effectsBeyond(course, open.withoutEffects(expected.effects), open.withoutEffects(found.effects)),
    ...refusedEffects(found),
    ...leftovers(records),
  ];
  return { course, steps, differences };
}

function differing(what: string, expected: readonly unknown[], found: readonly unknown[]): string[] {
  const length = Math.max(expected.length, found.length);
  const at = Array.from({ length }, (_, index) => index).find(
    (index) => !isDeepStrictEqual(expected[index], found[index]),
  );
  if (at === undefined) return [];
  return [`${what}[${at}]: expected ${JSON.stringify(expected[at])}, got ${JSON.stringify(found[at])}`];
}

function sorted(counts: Readonly<Record<string, number>>): readonly unknown[] {
  return Object.entries(counts).toSorted(([one], [other]) => one.localeCompare(other));
}

/** Returns the facts about the model's answers that the oracle cannot predict. */
function saidIn(course: Course, messages: readonly PlainMessage[], open: OpenSteps): Said {
  return {
    kept: course.given.filter(({ fact }) => fact.isKept),
    taken({ run, step }) {
      const last = course.answered.findLast((each) => each.run === run && each.step === step);
      if (last === undefined) return undefined;
      // If a plugin had already ended the run, the resumed run does without an answer that was lost with its process.
      const text = answerText({ run, step }, last.asked);
      const isThere = messages.some(
        (message) => message.role === 'assistant' && message.text.startsWith(text),
      );
      return isThere || !last.fact.mayBeLost ? last.asked : undefined;
    },
    results(place) {
      if (!open.has(place)) return undefined;
      const text = answerText(place, this.taken(place) ?? 'skipped');
      const turn = messages.findIndex((each) => each.role === 'assistant' && each.text.startsWith(text));
      const message = messages[turn];
      const calls = message?.role === 'assistant' ? message.calls.length : 0;
      return messages.slice(turn + 1, turn + 1 + calls).filter((each) => each.role === 'tool');
    },
  };
}

function outcomeOf(course: Course, records: readonly SessionRecord[]): Outcome {
  const last = records.at(-1);
  return {
    messages: (last?.messages ?? []).map(plainMessage),
    counts: countsOf(last),
    decisions: records.map(decisionOf),
    effects: course.executions
      .filter(({ isDone }) => isDone)
      .map(({ effect }) => effect)
      .toSorted(),
    questions: [...course.questions.values()].toSorted(),
  };
}

function plainMessage(message: Message): PlainMessage {
  const text = message.content.map((part) => (part.type === 'text' ? part.text : '')).join('');
  if (message.role === 'tool')
    return { role: 'tool', name: message.name, text: plainText(text), isError: message.isError === true };
  if (message.role !== 'assistant') return { role: 'user', text };
  const calls = message.content.flatMap((part) =>
    part.type === 'tool-call' ? [{ name: part.name, input: part.input as unknown as CallInput }] : [],
  );
  return { role: 'assistant', text, calls };
}

/** Returns a text without the core's own wording, which the docs do not promise. */
function plainText(text: string): string {
  return text
    .replace(/^The tool \w+ failed: (t\d+ r\ds\d)/, 'failed: $1')
    .replace(/^The call of \w+ was denied by (p\d): .*?(?=note|$)/, 'denied by $1');
}

function countsOf(record: SessionRecord | undefined): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const state of [record?.state, record?.run?.state])
    for (const [plugin, { count }] of Object.entries(state ?? {}))
      if (count !== undefined) counts[plugin] = Number(count.value);
  return counts;
}

function decisionOf({ run, messages }: SessionRecord): Decision {
  const id = run?.position.at === 'end' ? run.position.message : undefined;
  const message = messages.find((each) => each.id === id);
  const text = message === undefined ? '' : plainMessage(message).text;
  const { modelCalls = 0, total = 0 } = run?.usage ?? {};
  return {
    stopReason: run?.stopReason ?? '',
    text,
    steps: run?.step ?? 0,
    usage: { modelCalls, tokens: total },
  };
}

/**
 * Returns the effects that are missing, and those that occurred more often than executions with an unknown outcome
 * explain.
 */
function effectsBeyond(course: Course, expected: readonly string[], found: readonly string[]): string[] {
  const times = (list: readonly string[], effect: string): number =>
    list.filter((each) => each === effect).length;
  return [...new Set([...expected, ...found])].flatMap((effect) => {
    const due = times(expected, effect);
    const done = times(found, effect);
    const most =
      due + (effect.startsWith('look') || effect.startsWith('stamp') ? course.mayRepeat(effect) : 0);
    return done < due || done > most
      ? [`effect ${effect}: expected ${due} to ${most} times, got ${done}`]
      : [];
  });
}

/** Returns the calls that were executed although their results say that they were not. */
function refusedEffects({ messages, effects }: Outcome): string[] {
  return messages.flatMap((message, index) => {
    if (message.role !== 'assistant') return [];
    return message.calls.flatMap((call, at) => {
      const result = messages[index + 1 + at];
      const isDone = result?.text.startsWith('not executed') === true && effects.includes(effectText(call));
      return isDone ? [`${effectText(call)} was executed, and is said not to have been`] : [];
    });
  });
}

/** Returns the data that a completed run must not leave behind. */
function leftovers(records: readonly SessionRecord[]): string[] {
  return records.flatMap(({ messages, journal, run, claim }) => {
    const left = [
      ...Object.keys(journal),
      ...(run?.interrupts ?? []).map(({ id }) => id),
      ...Object.keys(run?.answers ?? {}),
    ];
    const ids = new Set(messages.map(({ id }) => id));
    return [
      ...left.map((what) => `the record still has ${what}`),
      ...(claim === undefined ? [] : ['the session is still claimed']),
      ...(ids.size === messages.length ? [] : ['two messages have one id']),
    ];
  });
}
