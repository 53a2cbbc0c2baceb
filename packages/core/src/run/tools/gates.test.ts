import { describe, expect, it } from 'vitest';

import { scriptedModel, type ScriptedToolCall } from '../../../../testing/src/index.ts';
import {
  createAgent,
  definePlugin,
  defineTool,
  memoryStore,
  textOf,
  type AgentOptions,
  type Plugin,
  type ToolCall,
  type ToolResult,
} from '../../index.ts';
import type { PluginSetup, ToolNext, ToolScope } from '../../plugin.ts';
import type { Store } from '../../store.ts';

type Gate = (call: ToolCall, next: ToolNext, scope: ToolScope) => Promise<ToolResult>;

function gate(name: string, decide: Gate, priority = 65): Plugin {
  const setup = ({ hooks }: PluginSetup): void => {
    hooks.wrapToolCall.tapPromise({ name: 'gate', gate: true }, decide);
  };
  return definePlugin({ name, priority, setup })();
}

function layer(name: string, wrap: Gate, priority = 50): Plugin {
  return definePlugin({
    name,
    priority,
    setup: ({ hooks }) => hooks.wrapToolCall.tapPromise('wrap', wrap),
  })();
}

/** An agent whose model makes these calls at once and then stops, and what its one tool has done. */
function agentOf(
  calls: readonly ScriptedToolCall[],
  plugins: readonly Plugin[],
  rest: Partial<AgentOptions> = {},
) {
  const done: string[] = [];
  const write = defineTool({
    name: 'write',
    description: 'Writes a word.',
    input: { type: 'object', properties: { word: { type: 'string' } }, required: ['word'] },
    execute(args) {
      const { word } = args as { readonly word: string };
      done.push(word);
      return `wrote ${word}`;
    },
  });
  const model = scriptedModel([
    { toolCalls: calls },
    ...Array.from({ length: 9 }, () => ({ text: 'Done.' })),
  ]);
  return { done, model, options: { model, tools: [write], plugins, log: 'silent' as const, ...rest } };
}

function toolTexts(
  messages: readonly { readonly role: string; readonly content: readonly object[] }[],
): string[] {
  return messages
    .filter(({ role }) => role === 'tool')
    .map(({ content }) => content.map((part) => ('text' in part ? part.text : '')).join('|'));
}

const one = [{ name: 'write', args: { word: 'a' } }];
const again = { type: 'string' } as const;

describe('a gate', () => {
  it('that fails after the call was executed does not call it denied', async () => {
    const failing = gate('failing', async (call, next) => {
      await next(call);
      throw new Error('broken');
    });
    const { done, options } = agentOf(one, [failing]);
    const result = await (await createAgent(options)).run('Go');
    const message = result.messages.find(({ role }) => role === 'tool');
    expect(done).toEqual(['a']);
    expect(message).toMatchObject({ isError: true });
    expect(message).not.toHaveProperty('denied');
    expect(toolTexts(result.messages)).toEqual([
      expect.stringMatching(/was executed, but the gate failing failed/),
    ]);
  });

  it('can ask whether a changed call would be executed', async () => {
    const seen: unknown[] = [];
    const asking = gate('asking', async (call, next, scope) => {
      for (const changed of [call, { ...call, input: {} }, { ...call, name: 'wrote' }])
        seen.push(await scope.check?.(changed));
      return next(call);
    });
    const { options } = agentOf(one, [asking]);
    await (await createAgent(options)).run('Go');
    expect(seen).toEqual([
      undefined,
      expect.stringContaining('word'),
      expect.stringContaining('There is no tool "wrote"'),
    ]);
  });

  it('has its say about a result once, also when a layer outside is entered again later', async () => {
    const store = memoryStore();
    const noting = gate('noting', async (call, next) => {
      const result = await next(call);
      return { ...result, content: [...result.content, { type: 'text', text: 'noted' }] };
    });
    const asking = layer('asking', async (call, next, scope) => {
      const result = await next(call);
      await scope.interrupt({ kind: 'ok', payload: null, answer: again });
      return result;
    });
    const { done, options } = agentOf(one, [noting, asking], { store });
    const agent = await createAgent(options);
    const first = await agent.run('Go', { sessionId: 's' });
    const result = await agent.resume('s', { [first.interrupts[0]?.id ?? '']: 'yes' });
    expect(done).toEqual(['a']);
    expect(toolTexts(result.messages)).toEqual(['wrote a|noted']);
  });

  it('that asks about a result gets its answer on resume, and the call is not executed again', async () => {
    const checking = gate('checking', async (call, next, scope) => {
      const result = await next(call);
      const answer = await scope.interrupt({ kind: 'release', payload: 'May it out?', answer: again });
      return answer === 'yes' ? result : { content: [{ type: 'text', text: 'withheld' }], isError: true };
    });
    const { done, options } = agentOf(one, [checking]);
    const agent = await createAgent(options);
    const first = await agent.run('Go', { sessionId: 's' });
    expect(first.interrupts).toMatchObject([{ kind: 'release', plugin: 'checking' }]);
    const result = await agent.resume('s', { [first.interrupts[0]?.id ?? '']: 'no' });
    expect(done).toEqual(['a']);
    expect(toolTexts(result.messages)).toEqual(['withheld']);
  });

  it('that asked about a result of a call that is another one by now does not get that result', async () => {
    let word = 'a';
    const changing = gate('changing', async (call, next) => next({ ...call, input: { word } }), 70);
    const checking = gate('checking', async (call, next, scope) => {
      const result = await next(call);
      await scope.interrupt({ kind: 'release', payload: textOf(result), answer: again });
      return result;
    });
    const { done, options } = agentOf(one, [changing, checking]);
    const agent = await createAgent(options);
    const first = await agent.run('Go', { sessionId: 's' });
    word = 'b';
    const second = await agent.resume('s', { [first.interrupts[0]?.id ?? '']: 'yes' });
    expect(done).toEqual(['a', 'b']);
    expect(second.interrupts).toMatchObject([{ kind: 'release', payload: 'wrote b' }]);
  });

  it('has its question on record no earlier than the result that it asks about', async () => {
    const checking = gate('checking', async (call, next, scope) => {
      const result = await next(call);
      await scope.interrupt({ kind: 'release', payload: null, answer: again });
      return result;
    });
    const store = memoryStore();
    const asked: unknown[] = [];
    const watched: Store = {
      ...store,
      async commit(sessionId, revision, change) {
        const next = await store.commit(sessionId, revision, change);
        const { journal = {}, run } = (await store.load(sessionId)) ?? {};
        if (run?.interrupts.length === 1) asked.push(Object.values(journal).map(({ type }) => type));
        return next;
      },
    };
    const { options } = agentOf(one, [checking], { store: watched });
    await (await createAgent(options)).run('Go', { sessionId: 's' });
    expect(asked.length).toBeGreaterThan(0);
    expect(asked).toEqual(asked.map(() => ['raw']));
  });

  it('decides anew about a call that was changed, also back to what it was', async () => {
    const swap = gate(
      'swap',
      async (call, next, { edit }) => {
        const word = edit === undefined ? 'b' : 'a';
        return edit?.by === 'swap' ? next(call) : next({ ...call, input: { word } });
      },
      1,
    );
    const seen: unknown[] = [];
    const deciding = gate('deciding', async (call, next, scope) => {
      const kept = await scope.once('seen', () => call.input);
      seen.push([kept, await scope.interrupt({ kind: 'ok', payload: null, answer: again })]);
      return next(call);
    });
    const back = gate(
      'back',
      (call, next, { edit }) => next(edit?.by === 'swap' ? { ...call, input: { word: 'a' } } : call),
      30,
    );
    const { done, options } = agentOf(one, [deciding, back, swap]);
    const agent = await createAgent(options);
    let result = await agent.run('Go', { sessionId: 's' });
    for (const answer of ['first', 'second', 'third']) {
      seen.length = 0;
      result = await agent.resume('s', { [result.interrupts[0]?.id ?? '']: answer });
    }
    expect(seen).toEqual([
      [{ word: 'a' }, 'first'],
      [{ word: 'b' }, 'second'],
      [{ word: 'a' }, 'third'],
    ]);
    expect(done).toEqual(['a']);
    expect(result.outcome).toBe('completed');
  });

  it('reads the files of the run', async () => {
    const { memoryFiles } = await import('../../files/index.ts');
    const own = memoryFiles();
    await own.write('/a.txt', 'mine');
    let read = '';
    const reading = gate('reading', async (call, next, { run }) => {
      read = (await run.files.readText('/a.txt')).text;
      return next(call);
    });
    const { options } = agentOf(one, [reading], { files: () => own });
    await (await createAgent(options)).run('Go');
    expect(read).toBe('mine');
  });
});
