import { describe, expect, it } from 'vitest';

import type { ShallotError } from '../base/errors.ts';
import type { NextOptions, Scope, ToolScope } from '../contract/hooks.ts';
import { Frame } from './frame.ts';
import { LiveTap } from './live-tap.ts';
import type { GateRules, OnionCall } from './onion-call.ts';
import { enterLayer, OnionPass } from './onion-layer.ts';
import type { Owner } from './owner.ts';
import { sinkFor, type Sink } from './sink.ts';
import { Stretches } from './stretches.ts';

type Next = (request: string, options?: NextOptions<string>) => Promise<string>;
type Fn = (request: string, next: Next, scope: Scope<string> & Partial<ToolScope>) => unknown;

/** A tap of the plugin `a`, `b`, … as it is in this place. */
function tapAt(index: number, fn: Fn, gate = false): LiveTap {
  // A layer does not use the other members of an owner.
  const owner = { id: String.fromCodePoint(97 + index) } as unknown as Owner;
  const hook = gate ? 'wrapToolCall' : 'wrapModelCall';
  const options = { name: 'own', hook, priority: undefined, gate, internal: false, tree: false } as const;
  return new LiveTap(owner, { ...options, fn, wantsPromise: false }, 25, index, 1);
}

/** Notes of what layers ask of their call. */
class Notes {
  readonly lines: string[] = [];
  readonly reported: ShallotError[] = [];
  readonly stretches = new Stretches();

  note(line: string): void {
    this.lines.push(line);
  }

  take(): readonly string[] {
    return this.lines.splice(0);
  }
}

type Call = OnionCall<string, string, string>;

function callWith(notes: Notes, over: Partial<Call> = {}): Call {
  return {
    run: {
      terms: { parts: { hookTimeoutMs: 1000 } },
      signs: { stretches: notes.stretches },
      life: { orAbort: (promise) => promise },
    },
    address: 'the address' as unknown as Call['address'],
    resumed: false,
    origin: undefined,
    hasOpenQuestion: false,
    restart: 'restart',
    report: (error) => void notes.reported.push(error),
    fail: (error) => void notes.reported.push(error),
    runFor: (tap) => ({ of: tap.info.plugin }) as never,
    interrupt: async (tap) => (notes.note(`${tap.info.plugin} asks`), 'an answer' as never),
    child: async (tap, { ordinal }) => {
      notes.note(`${tap.info.plugin} has child ${ordinal}`);
      return waitsOf(notes) as never;
    },
    once: async (tap, attempt, key, fn) => (notes.note(`${tap.info.plugin} once ${key} ${attempt}`), fn()),
    replaceMessages: (tap) => notes.note(`${tap.info.plugin} replaces messages`),
    core: (request, frame) => frame.waitToEnd(Promise.resolve(`${request}!`)),
    acceptRequest: (tap, passed) => (
      notes.note(`${tap.info.plugin} passes ${String(passed)}`),
      String(passed)
    ),
    acceptResponse: (tap, returned) => {
      notes.note(`${tap.info.plugin} returns ${String(returned)}`);
      return String(returned);
    },
    blame: (tap, error) => notes.note(`${tap.info.plugin} threw ${String(error)}`),
    startedOver: (tap) => notes.note(`${tap.info.plugin} starts over`),
    ...over,
  };
}

function enter(call: Call, fns: readonly Fn[], frame = new Frame(), sink?: Sink<string>): Promise<string> {
  const taps = fns.map((fn, index) => tapAt(index, fn, call.gates !== undefined));
  return enterLayer(new OnionPass(taps, undefined, call), 0, 'go', frame, false, sink);
}

/** Returns a line for each thing that the call is waiting for. */
function waitsOf({ stretches }: Notes, frame = new Frame()): readonly string[] {
  return stretches.find(frame).map(({ plugin, what }) => `${plugin}: ${what}`);
}

const pass: Fn = (request, next) => next(request);
const passAsync: Fn = async (request, next) => await next(request);
const never: Fn = () => new Promise(() => {});
const stop = new Error('stop');

describe('requests and responses', () => {
  it('are checked where a layer makes them, and not where it passes them on', async () => {
    const notes = new Notes();
    const longer: Fn = async (request, next) => `${await next(`${request} on`)}?`;
    expect(await enter(callWith(notes), [pass, passAsync, longer, pass, passAsync])).toBe('go on!?');
    expect(notes.take()).toEqual(['c passes go on', 'e returns go on!', 'c returns go on!?']);
  });

  it('of a layer that returns nothing are checked', async () => {
    const notes = new Notes();
    expect(await enter(callWith(notes), [() => {}])).toBe('undefined');
    expect(notes.take()).toEqual(['a returns undefined']);
  });
});

describe('the scope of a layer', () => {
  it('counts the attempts, the children and what happens once, by layer', async () => {
    const notes = new Notes();
    const twice: Fn = async (request, next) => (await next(request), await next(request));
    const using: Fn = async (request, next, { attempt, child, once }) => {
      await child({} as never);
      await child({} as never);
      await once('k', () => {});
      return `${await next(request)}${attempt}`;
    };
    expect(await enter(callWith(notes), [twice, using])).toBe('go!2');
    expect(notes.take().filter((line) => /child|once|over/.test(line))).toEqual([
      'b has child 1',
      'b has child 2',
      'b once k 1',
      'a starts over',
      'b has child 1',
      'b has child 2',
      'b once k 2',
    ]);
  });

  it('has what the call has, and what gates have in these alone', async () => {
    const notes = new Notes();
    const scopes: (Scope<string> & Partial<ToolScope>)[] = [];
    const seeing: Fn = (request, next, scope) => (scopes.push(scope), next(request));
    await enter(callWith(notes, { resumed: true, origin: { plugin: 'z', purpose: 'p' } }), [seeing]);
    const gates: GateRules<string, string> = {
      attempt: 3,
      edit: 'edit' as never,
      output: 'output' as never,
      display: 'display' as never,
      check: async (call) => call as never,
      pass: async (index, request) => `${request} behind ${index}`,
      rescue: (_, error) => `rescued from ${String(error)}`,
    };
    expect(await enter(callWith(notes, { gates }), [seeing])).toBe('go behind 0');
    const shown = scopes.map(({ run, address, resumed, origin, attempt, edit, output, display }) => [
      [run, address, resumed, origin],
      [attempt, edit, output, display],
    ]);
    expect(shown).toEqual([
      [
        [{ of: 'a' }, 'the address', true, { plugin: 'z', purpose: 'p' }],
        [1, undefined, undefined, undefined],
      ],
      [
        [{ of: 'a' }, 'the address', false, undefined],
        [3, 'edit', 'output', 'display'],
      ],
    ]);
    expect(scopes[0]?.check).toBeUndefined();
    expect(await scopes[1]?.check?.('call' as never)).toBe('call');
    expect(await enter(callWith(notes, { gates }), [() => Promise.reject(stop)])).toBe(
      'rescued from Error: stop',
    );
  });

  it.each(['layer', 'gate'] as const)('refuses everything once its %s has settled', async (kind) => {
    const notes = new Notes();
    let scope: Scope<string> | undefined;
    let again: Next | undefined;
    const gates = { attempt: 1, pass: async () => 'x' } as unknown as GateRules<string, string>;
    await enter(callWith(notes, kind === 'gate' ? { gates } : {}), [
      (request, next, own) => {
        [scope, again] = [own, next];
        return next(request).then(String);
      },
    ]);
    notes.take();
    const later = [
      scope?.interrupt({} as never),
      scope?.child({} as never),
      scope?.once('k', () => notes.note('once')),
      scope?.inTime('work', () => notes.note('in time')),
    ];
    const code = kind === 'gate' ? 'NEXT_LATE' : 'LAYER_CLOSED';
    for (const each of later) await expect(each).rejects.toMatchObject({ code, plugin: 'a' });
    await expect(again?.('go')).rejects.toMatchObject({ code: 'NEXT_LATE', plugin: 'a' });
    expect(notes.reported.map(({ message }) => message)).toHaveLength(kind === 'gate' ? 5 : 1);
    expect(notes.reported.at(-1)?.message).toContain(
      kind === 'gate'
        ? 'after its gate had settled; the call was not executed'
        : 'of wrapModelCall after its layer had settled',
    );
    expect(notes.take()).toEqual([]);
  });

  it('refuses everything with the reason for which its layer was closed', async () => {
    const notes = new Notes();
    const frame = new Frame();
    let scope: Scope<string> | undefined;
    let again: Next | undefined;
    void enter(
      callWith(notes),
      [
        (_, next, own) => {
          [scope, again] = [own, next];
          return new Promise(() => {});
        },
      ],
      frame,
    );
    frame.close(stop);
    for (const each of [scope?.child({} as never), scope?.once('k', () => {}), again?.('go')])
      await expect(each).rejects.toBe(stop);
    expect(notes.reported).toEqual([]);
  });
});

describe('calling next again', () => {
  /** The chunks that come out if a layer calls next twice, while the core sends these the first time. */
  async function chunksOf(...first: readonly string[]): Promise<readonly string[]> {
    const chunks: string[] = [];
    const sink = sinkFor<string>(
      (chunk) => void chunks.push(chunk),
      () => {},
    );
    let calls = 0;
    const core: Call['core'] = async (request, _, inner) => {
      calls += 1;
      for (const chunk of calls === 1 ? first : ['again']) void inner?.push(chunk);
      return request;
    };
    const twice: Fn = async (request, next) => (await next(request), await next(request));
    await enter(callWith(new Notes(), { core }), [pass, twice], new Frame(), sink);
    return chunks;
  }

  it('sends a restart if something was sent', async () => {
    expect(await chunksOf('one', 'two')).toEqual(['one', 'two', 'restart', 'again']);
    expect(await chunksOf()).toEqual(['again']);
  });

  it('abandons what still runs inside, unless it is called in parallel', async () => {
    for (const parallel of [false, true]) {
      const inside: Frame[] = [];
      const core: Call['core'] = (request, frame) => {
        inside.push(frame);
        return request === 'stay' ? new Promise(() => {}) : Promise.resolve(request);
      };
      const frame = new Frame();
      const during: unknown[] = [];
      const racing: Fn = async (_, next) => {
        void next('stay', { parallel }).catch(() => {});
        const second = await next('come', { parallel });
        during.push(inside[0]?.closed);
        return second;
      };
      expect(await enter(callWith(new Notes(), { core }), [racing], frame)).toBe('come');
      expect(during).toEqual([!parallel]);
      // The layer has settled, and waits for nothing.
      expect(inside[0]?.reason).toMatchObject({ code: 'LAYER_CLOSED', plugin: 'a', hook: 'wrapModelCall' });
    }
  });

  it('in parallel sends no chunks', async () => {
    const chunks: string[] = [];
    const sink = sinkFor<string>(
      (chunk) => void chunks.push(chunk),
      () => {},
    );
    const core: Call['core'] = async (request, _, inner) => (void inner?.push(request), request);
    const both: Fn = async (_, next) => {
      await Promise.all([next('one', { parallel: true }), next('two', { parallel: true })]);
      return next('three');
    };
    await enter(callWith(new Notes(), { core }), [both], new Frame(), sink);
    expect(chunks).toEqual(['three']);
  });

  it('keeps what runs inside while the call waits for an answer', async () => {
    const { promise, resolve } = Promise.withResolvers<string>();
    const lines: string[] = [];
    const core: Call['core'] = async (request) => {
      if (request === 'quick') throw stop;
      lines.push(await promise);
      return request;
    };
    const failing: Fn = async (_, next) => {
      void next('slow', { parallel: true });
      return next('quick', { parallel: true });
    };
    const entered = enter(callWith(new Notes(), { core, hasOpenQuestion: true }), [failing]);
    const settled = entered.catch(() => lines.push('layer settled'));
    await new Promise(setImmediate);
    resolve('core settled');
    await settled;
    expect(lines).toEqual(['core settled', 'layer settled']);
  });
});

describe('a signal that a layer passes to next', () => {
  const waiting: Call['core'] = (_, frame) => frame.wait(new Promise(() => {}));

  it.each(['before', 'after'])('ends what is inside, and the layer goes on: aborted %s', async (when) => {
    const controller = new AbortController();
    if (when === 'before') controller.abort(stop);
    else setImmediate(() => controller.abort(stop));
    const careful: Fn = async (request, next) => {
      await expect(next(request, { signal: controller.signal })).rejects.toBe(stop);
      return 'went on';
    };
    expect(await enter(callWith(new Notes(), { core: waiting }), [careful, pass])).toBe('went on');
  });

  it('has no effect afterwards, and the layer can still be closed from outside', async () => {
    const controller = new AbortController();
    const inside: Frame[] = [];
    const core: Call['core'] = async (request, frame) => (inside.push(frame), request);
    const frame = new Frame();
    const passing: Fn = (request, next) => next(request, { signal: controller.signal });
    await enter(callWith(new Notes(), { core }), [passing], frame);
    controller.abort(stop);
    expect(inside[0]?.closed).toBe(false);
    const entered = enter(callWith(new Notes(), { core: waiting }), [passing], frame);
    frame.close(stop);
    await expect(entered).rejects.toBe(stop);
  });
});

describe('an emit that a layer passes to next', () => {
  it('gets the chunks from inside, and closes what is there if it throws', async () => {
    const notes = new Notes();
    const chunks: string[] = [];
    const core: Call['core'] = async (request, frame, inner) => {
      void inner?.push('one');
      await inner?.push('bad');
      return frame.wait(new Promise<string>(() => {}));
    };
    const listening: Fn = (request, next) =>
      next(request, {
        emit: async (chunk) => {
          if (chunk === 'bad') throw stop;
          chunks.push(chunk);
        },
      });
    await expect(enter(callWith(notes, { core }), [listening])).rejects.toBe(stop);
    expect(chunks).toEqual(['one']);
    expect(notes.take()[0]).toBe('a threw Error: stop');
  });

  it('of the layer itself drops what comes after its end', async () => {
    const chunks: string[] = [];
    const sink = sinkFor<string>(
      (chunk) => void chunks.push(chunk),
      () => {},
    );
    let emit: Scope<string>['emit'];
    const keeping: Fn = async (request, next, scope) => {
      emit = scope.emit;
      expect(scope.emit).toBe(emit);
      void emit?.('early');
      return await next(request, { emit });
    };
    const core: Call['core'] = async (request, _, inner) => (expect(inner).toBe(sink), request);
    await enter(callWith(new Notes(), { core }), [keeping], new Frame(), sink);
    void emit?.('late');
    expect(chunks).toEqual(['early']);
    await enter(callWith(new Notes()), [
      (request, next, scope) => (expect(scope.emit).toBeUndefined(), next(request)),
    ]);
  });
});

describe('what a run waits for', () => {
  it('is the innermost layer at work, or nothing but the core', async () => {
    const notes = new Notes();
    const frame = new Frame();
    void enter(callWith(notes), [pass, passAsync, never], frame);
    expect(waitsOf(notes, frame)).toEqual(['c: wrapModelCall "own"']);
    const other = new Frame();
    void enter(callWith(notes, { core: () => new Promise(() => {}) }), [pass, passAsync], other);
    expect(waitsOf(notes, other)).toEqual([]);
    const gates = { attempt: 1 } as unknown as GateRules<string, string>;
    const gate = new Frame();
    void enter(callWith(notes, { gates }), [never], gate);
    expect(waitsOf(notes, gate)).toEqual(['a: the gate "own"']);
    gate.close(stop);
    expect(waitsOf(notes, gate)).toEqual([]);
  });

  it('is nothing of a layer that has settled, whatever it left inside', async () => {
    const notes = new Notes();
    const frame = new Frame();
    const hasty: Fn = (request, next) => (void next(request).catch(() => {}), 'enough');
    expect(await enter(callWith(notes), [passAsync, hasty, never], frame)).toBe('enough');
    expect(waitsOf(notes, frame)).toEqual([]);
  });

  it('makes progress with each call of next', async () => {
    const frame = new Frame();
    const { promise, resolve } = Promise.withResolvers<void>();
    void enter(
      callWith(new Notes()),
      [
        async (request, next) => {
          await promise;
          await next(request);
          return new Promise(() => {});
        },
      ],
      frame,
    );
    const sinceOf = (): unknown => new Stretches().find(frame)[0]?.since;
    const before = sinceOf();
    resolve();
    await new Promise(setImmediate);
    expect(before).toBeUndefined();
    expect(sinceOf()).toBeInstanceOf(Promise);
  });

  it('is what a layer does once, or in time, or a child, by turns', async () => {
    const notes = new Notes();
    const seen: (readonly string[])[] = [];
    const frame = new Frame();
    const look = (): void => void seen.push(waitsOf(notes, frame));
    const busy: Fn = async (_, __, { once, inTime, child, asking }) => {
      await once('charge', async () => look());
      await inTime('search', async () => look());
      await asking(async () => look());
      expect(await child({} as never)).toEqual([]);
      look();
      return 'done';
    };
    await enter(callWith(notes), [busy], frame);
    expect(seen).toEqual([['a: once("charge")'], ['a: "search"'], [], ['a: wrapModelCall "own"']]);
  });

  it('is the emit of a layer that is busy with a chunk, unless a consumer outside is', async () => {
    const notes = new Notes();
    const { promise, resolve } = Promise.withResolvers<void>();
    const core: Call['core'] = async (request, _, inner) => (await inner?.push('chunk'), request);
    const listening =
      (emit: () => Promise<void>): Fn =>
      async (request, next) =>
        await next(request, { emit });
    const busy = new Frame();
    const entered = enter(callWith(notes, { core }), [listening(() => promise), passAsync], busy);
    expect(waitsOf(notes, busy)).toEqual(['a: the emit that wrapModelCall "own" passes to next']);
    expect(new Stretches().find(busy)[0]?.since).toBe(0);
    const held = new Frame();
    const sink = sinkFor<string>(
      () => promise,
      () => {},
    );
    const outer = enter(callWith(notes, { core }), [passAsync, pass], held, sink);
    expect(waitsOf(notes, held)).toEqual([]);
    void sink.push('more');
    void enter(callWith(notes, { core }), [listening(() => promise), never], held, sink);
    expect(waitsOf(notes, held)).toEqual(['b: wrapModelCall "own"']);
    resolve();
    expect(await Promise.all([entered, outer])).toEqual(['go', 'go']);
  });
});
