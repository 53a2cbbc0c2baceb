import * as fc from 'fast-check';
import { expect, it } from 'vitest';

import type { Message } from '../../contract/messages.ts';
import { MessageLog } from './message-log.ts';

/** A log, and what it must contain. */
interface Case {
  readonly log: MessageLog;
  list: readonly Message[];
  /** The ids of replaced messages, and of all calls until then. */
  readonly gone: Set<string>;
  untouched: number;
}

type Step =
  | { readonly kind: 'append' | 'again' | 'named'; readonly of: number; readonly count: number }
  | { readonly kind: 'fork'; readonly of: number; readonly length: number }
  | {
      readonly kind: 'replace';
      readonly of: number;
      readonly from: number;
      readonly to: number;
      readonly count: number;
    };

const share = fc.integer({ min: 0, max: 100 });
const count = fc.oneof(fc.integer({ min: 0, max: 3 }), fc.integer({ min: 0, max: 90 }));
const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof(
    fc.record({ kind: fc.constantFrom('append', 'again', 'named'), of: share, count }),
    fc.record({ kind: fc.constant('fork'), of: share, length: share }),
    fc.record({ kind: fc.constant('replace'), of: share, from: share, to: share, count }),
  ) as fc.Arbitrary<Step>,
  { maxLength: 14 },
);

function idsIn(messages: readonly Message[]): string[] {
  return messages.flatMap(({ id, content }) => [
    id,
    ...content.flatMap((part) => (part.type === 'tool-call' ? [part.id] : [])),
  ]);
}

function isCall(id: string): boolean {
  return id.startsWith('c');
}

/** Logs that grow, fork and are changed, beside plain lists with the same messages. */
class World {
  readonly cases: Case[] = [{ log: MessageLog.of(), list: [], gone: new Set(), untouched: Infinity }];
  #made = 0;

  #messages(count: number): Message[] {
    return Array.from({ length: count }, () => {
      this.#made += 1;
      const id = `m${this.#made}`;
      if (this.#made % 3 > 0) return Object.freeze({ id, role: 'user', content: [] } as const);
      const call = { type: 'tool-call', id: `c${this.#made}`, name: 'look', input: {} } as const;
      return Object.freeze({ id, role: 'assistant', content: [call] } as const);
    });
  }

  take(step: Step): void {
    const one = this.cases[step.of % this.cases.length] as Case;
    const at = (percent: number): number => Math.round((one.list.length * percent) / 100);
    if (step.kind === 'fork') {
      const length = at(step.length);
      const list = one.list.slice(0, length);
      const untouched = Infinity;
      this.cases.push({ log: one.log.fork(length), list, gone: new Set(one.gone), untouched });
    } else if (step.kind === 'replace') {
      const [from = 0, to = 0] = [at(step.from), at(step.to)].toSorted((a, b) => a - b);
      const messages = this.#messages(step.count);
      one.log.replace(from, to, messages);
      one.untouched = Math.min(one.untouched, from);
      const replaced = one.list.slice(from, to).map(({ id }) => id);
      for (const id of [...idsIn(one.list).filter(isCall), ...replaced]) one.gone.add(id);
      one.list = one.list.toSpliced(from, to - from, ...messages);
    } else {
      const messages = this.#added(one, step);
      one.log.append(messages);
      one.list = [...one.list, ...messages];
    }
  }

  /** New messages, those with which another log goes on, or all messages of a list with a log of its own. */
  #added(one: Case, { kind, count }: { readonly kind: string; readonly count: number }): readonly Message[] {
    if (kind === 'append') return this.#messages(count);
    const longest = this.cases.toSorted((a, b) => b.list.length - a.list.length)[0] as Case;
    if (kind === 'again') return longest.list.slice(one.list.length, one.list.length + count);
    const list = this.#messages(count);
    MessageLog.of([...list]).nameAs(list);
    return list;
  }

  /** Returns what the logs show. */
  shown(): unknown {
    const gone = new Set(this.cases.flatMap((each) => [...each.gone]));
    const all = new Set([...gone, ...this.cases.flatMap(({ list }) => idsIn(list)), 'm0', 'c0']);
    return this.cases.map(({ log, list, gone: own }) => {
      const had = new Set([...own, ...idsIn(list)]);
      const known = new Set([...all].filter((id) => (isCall(id) ? log.hasCall(id) : log.hasMessage(id))));
      const middle = Math.floor(list.length / 2);
      return {
        view: log.view,
        length: log.length,
        untouched: log.untouched,
        copy: log.copy(middle),
        at: placesIn(list).map((index) => log.at(index)),
        shared: [log.countShared(list), log.countShared([...list.slice(0, middle), {}])],
        others: list.filter((message) => log.hasOther(message)),
        unknown: [...had].filter((id) => !known.has(id)),
        // A log may also know ids that only a log with which it shares messages has replaced.
        foreign: [...known].filter((id) => !had.has(id) && !gone.has(id)),
      };
    });
  }

  /** Returns what lists without logs would show. */
  wanted(): unknown {
    return this.cases.map(({ list, untouched }) => {
      const middle = Math.floor(list.length / 2);
      return {
        view: list,
        length: list.length,
        untouched: Math.min(untouched, list.length),
        copy: list.slice(middle),
        at: placesIn(list).map((index) => list.at(index)),
        shared: [list.length, middle],
        others: [],
        unknown: [],
        foreign: [],
      };
    });
  }
}

function placesIn({ length }: readonly Message[]): readonly number[] {
  return [0, Math.floor(length / 2), length - 1, length, -1, -length - 1];
}

it('logs that share messages have those that lists of their own would have', () => {
  fc.assert(
    fc.property(steps, (all) => {
      const world = new World();
      const shown: unknown[] = [];
      const wanted: unknown[] = [];
      const look = (): void => {
        shown.push(world.shown());
        wanted.push(world.wanted());
      };
      for (const step of all) {
        world.take(step);
        // Not always, because looking something up indexes it.
        if (step.of % 2 === 0) look();
      }
      look();
      expect(shown).toEqual(wanted);
    }),
    { numRuns: 25 },
  );
});
