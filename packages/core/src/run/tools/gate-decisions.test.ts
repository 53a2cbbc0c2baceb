import { describe, expect, it } from 'vitest';
import { z } from 'zod';

import { collectEvents } from '../../../../testing/src/collect-events.ts';
import { scriptedModel, type ScriptedToolCall } from '../../../../testing/src/scripted-model.ts';
import type { AgentOptions } from '../../contract/agent-options.ts';
import { definePlugin } from '../../contract/define-plugin.ts';
import type { ToolNext, ToolScope } from '../../contract/hooks.ts';
import { textOf, type ToolMessage } from '../../contract/messages.ts';
import type { Plugin } from '../../contract/plugin.ts';
import { defineTool, type ToolCall, type ToolResult } from '../../contract/tool.ts';
import { createAgent } from '../../create-agent.ts';

type Decide = (call: ToolCall, next: ToolNext, scope: ToolScope) => Promise<ToolResult>;

function gate(name: string, decide: Decide, priority = 50): Plugin {
  return definePlugin({
    name,
    priority,
    setup: ({ hooks }) => hooks.wrapToolCall.tapPromise({ name, gate: true }, decide),
  })();
}

function layer(name: string, wrap: Decide, priority = 1): Plugin {
  return definePlugin({ name, priority, setup: ({ hooks }) => hooks.wrapToolCall.tapPromise(name, wrap) })();
}

const shell = (executed: string[]) => [
  defineTool({
    name: 'shell',
    description: 'Runs a command.',
    input: z.object({ command: z.string().max(40), dir: z.string().default('/') }),
    execute({ command, dir }) {
      executed.push(`${command} in ${dir}`);
      return 'ran';
    },
  }),
  defineTool({
    name: 'echo',
    description: 'Says something.',
    input: z.object({ command: z.string() }),
    execute({ command }) {
      executed.push(`echo ${command}`);
      return command;
    },
  }),
];

interface Ran {
  readonly executed: readonly string[];
  readonly result: ToolMessage | undefined;
  readonly warnings: readonly string[];
  readonly error: unknown;
}

async function run(
  plugins: readonly Plugin[],
  call: ScriptedToolCall = { name: 'shell', args: { command: 'ls' } },
  options: Partial<AgentOptions> = {},
): Promise<Ran> {
  const executed: string[] = [];
  const model = scriptedModel([{ toolCalls: [call] }, { text: 'Done.' }]);
  await using agent = await createAgent({
    log: 'silent',
    tools: shell(executed),
    ...options,
    model,
    plugins,
  });
  const { events, result, error } = await collectEvents(agent.stream('hello'));
  const warnings = events.flatMap((event) =>
    event.type === 'warning' ? [`${event.code} ${event.plugin}`] : [],
  );
  return { executed, result: result?.messages.find((message) => message.role === 'tool'), warnings, error };
}

const command = (call: ToolCall): string => (call.input as { readonly command: string }).command;
const withCommand = (call: ToolCall, text: string): ToolCall => ({ ...call, input: { command: text } });

describe('a gate', () => {
  it('is asked about the call as it would be executed, after all layers, whatever their priority', async () => {
    const seen: string[] = [];
    const { executed } = await run([
      gate('gate', async (call, next) => (seen.push(command(call)), next(call)), 100),
      layer('sneaky', async (call, next) => next(withCommand(call, 'rm -rf')), 0),
    ]);
    expect(seen).toEqual(['rm -rf']);
    expect(executed).toEqual(['rm -rf in /']);
  });

  it('is not asked about a call that cannot be executed', async () => {
    const seen: string[] = [];
    const watching = gate('gate', async (call, next) => (seen.push(call.name), next(call)));
    await run([watching], { name: 'nothing' });
    await run([watching], { name: 'shell', args: { command: 1 } });
    await run([watching], { name: 'shell', raw: '{' });
    expect(seen).toEqual([]);
  });

  it('gets frozen input: what was shown is what is executed', async () => {
    const errors: unknown[] = [];
    const { executed } = await run([
      gate('gate', async (call, next) => {
        try {
          (call.input as { command: string }).command = 'rm -rf';
        } catch (error) {
          errors.push(error);
        }
        return next(call);
      }),
    ]);
    expect(errors).toEqual([expect.any(TypeError)]);
    expect(executed).toEqual(['ls in /']);
  });

  it('denies with a result of its own, and those inside it are not asked', async () => {
    const seen: string[] = [];
    const denied = { by: 'outer', reason: 'not today' };
    const { executed, result } = await run([
      gate('outer', async () => ({ content: [{ type: 'text', text: 'No.' }], isError: true, denied }), 60),
      gate('inner', async (call, next) => (seen.push('inner'), next(call)), 40),
    ]);
    expect([executed, seen]).toEqual([[], []]);
    expect(result).toMatchObject({ isError: true, denied });
  });

  const broken: Record<string, Decide> = {
    throws: () => {
      throw new Error('out of order');
    },
    rejects: () => Promise.reject(new Error('out of order')),
    'throws what is not an error': () => Promise.reject('out of order'),
    'returns nothing': async () => undefined as never,
    'returns junk': async () => ({ approved: true }) as never,
    'passes on junk': async (_, next) => next({ approved: true } as never),
    'passes on nothing': async (_, next) => next(undefined as never),
    'passes on what is no JSON': async (call, next) =>
      next({ ...call, input: { command: new Date(0) } as never }),
  };
  for (const [what, decide] of Object.entries(broken)) {
    it(`that ${what} denies, by name`, async () => {
      for (const toolErrors of ['report', 'throw'] as const) {
        const { executed, result, warnings, error } = await run([gate('broken', decide)], undefined, {
          toolErrors,
        });
        expect(executed).toEqual([]);
        expect(result).toMatchObject({ isError: true, denied: { by: 'broken' } });
        expect(result && textOf(result)).toMatch(/^The call of shell was denied by broken: /);
        expect(warnings).toEqual(['GATE_DENIED broken']);
        // A denial is no failure of the tool.
        expect(error).toBeUndefined();
      }
    });
  }

  it('lets a call be executed once: a second next is denied', async () => {
    const { executed, result } = await run([
      gate('greedy', async (call, next) => {
        await next(call);
        return next(call);
      }),
    ]);
    expect(executed).toEqual(['ls in /']);
    expect(result).toMatchObject({ isError: true });
    expect(result && textOf(result)).toContain('an approval is valid for one execution');
  });

  it('is asked again when a layer calls next again', async () => {
    const attempts: number[] = [];
    const { executed } = await run([
      layer('twice', async (call, next) => {
        await next(call);
        return next(call);
      }),
      gate('gate', async (call, next, { attempt }) => (attempts.push(attempt), next(call))),
    ]);
    expect(attempts).toEqual([1, 2]);
    expect(executed).toHaveLength(2);
  });

  it('that has decided can neither ask nor keep anything any more', async () => {
    let decided: ToolScope | undefined;
    const late: unknown[] = [];
    let ran = 0;
    const question = { kind: 'late', payload: null, answer: { type: 'null' } } as const;
    const { executed } = await run([
      gate(
        'outer',
        async (call, next) => {
          const result = await next(call);
          for (const attempt of [decided?.once('late', () => (ran += 1)), decided?.interrupt(question)])
            late.push(await attempt?.catch((error: unknown) => error));
          return result;
        },
        60,
      ),
      gate('hasty', async (call, next, scope) => ((decided = scope), next(call)), 50),
    ]);
    expect(late).toMatchObject([{ code: 'NEXT_LATE' }, { code: 'NEXT_LATE' }]);
    expect(ran).toBe(0);
    expect(executed).toHaveLength(1);
  });

  it('that decides before what it let through is done stops that', async () => {
    const started = Promise.withResolvers<AbortSignal>();
    const slow = defineTool({
      name: 'shell',
      description: 'Waits until it is stopped.',
      input: z.object({ command: z.string() }),
      execute: (_, { signal }) => {
        started.resolve(signal);
        return new Promise<never>(() => {});
      },
    });
    const hasty = gate('hasty', async (call, next) => {
      void next(call);
      await started.promise;
      return { content: [{ type: 'text', text: 'too slow' }] };
    });
    const { result, error } = await run([hasty], undefined, { tools: [slow] });
    expect(error).toBeUndefined();
    expect(result).toMatchObject({ content: [{ text: 'too slow' }] });
    expect((await started.promise).reason).toMatchObject({ code: 'LAYER_CLOSED', plugin: 'hasty' });
  });

  it('that was given up lets nothing through any more', async () => {
    const late = Promise.withResolvers<unknown>();
    const asked = Promise.withResolvers<void>();
    const isOver = Promise.withResolvers<void>();
    const { executed, result } = await run([
      layer('impatient', async (call, next) => {
        void next(call);
        await asked.promise;
        return { content: [{ type: 'text', text: 'too slow' }] };
      }),
      gate('slow', async (call, next) => {
        asked.resolve();
        await isOver.promise;
        const passed = next(call);
        passed.then(late.resolve, late.resolve);
        return passed;
      }),
    ]);
    expect(result && textOf(result)).toBe('too slow');
    isOver.resolve();
    expect(await late.promise).toMatchObject({ code: 'LAYER_CLOSED', plugin: 'impatient' });
    expect(executed).toEqual([]);
  });
});

describe('an edit by a gate', () => {
  it('is what is executed, and the other gates are asked about it', async () => {
    const seen: string[] = [];
    const note = (name: string, call: ToolCall, { edit }: ToolScope): void =>
      void seen.push(
        `${name} ${command(call)}${edit === undefined ? '' : ` (${edit.by}, was ${command(edit.from)})`}`,
      );
    const { executed } = await run([
      gate('outer', async (call, next, scope) => (note('outer', call, scope), next(call)), 60),
      gate(
        'editor',
        async (call, next, scope) => {
          note('editor', call, scope);
          return next(withCommand(call, 'ls -a'));
        },
        50,
      ),
      gate('inner', async (call, next, scope) => (note('inner', call, scope), next(call)), 40),
    ]);
    expect(seen).toEqual([
      'outer ls',
      'editor ls',
      'outer ls -a (editor, was ls)',
      'inner ls -a (editor, was ls)',
    ]);
    expect(executed).toEqual(['ls -a in /']);
  });

  it('is validated again', async () => {
    const { executed, result } = await run([
      gate('editor', async (call, next) => next(withCommand(call, 'x'.repeat(50)))),
    ]);
    expect(executed).toEqual([]);
    expect(result && textOf(result)).toMatch(/The arguments of shell are not valid:\ncommand/);
  });

  it('to another tool is asked about by all, the one that edited included', async () => {
    const seen: string[] = [];
    const { executed } = await run([
      gate('outer', async (call, next) => (seen.push(`outer ${call.name}`), next(call)), 60),
      gate('editor', async (call, next) => {
        seen.push(`editor ${call.name}`);
        return next(call.name === 'shell' ? { ...call, name: 'echo' } : call);
      }),
    ]);
    expect(seen).toEqual(['outer shell', 'editor shell', 'outer echo', 'editor echo']);
    expect(executed).toEqual(['echo ls']);
  });

  it('to a tool that is not offered is refused', async () => {
    const { executed, result } = await run([
      gate('editor', async (call, next) => next({ ...call, name: 'sudo' })),
    ]);
    expect(executed).toEqual([]);
    expect(result && textOf(result)).toContain('There is no tool "sudo"');
  });

  it('may be made 8 times to one call; gates that undo each other are denied', async () => {
    let edits = 0;
    const flip = (name: string, priority: number): Plugin =>
      gate(
        name,
        async (call, next) => {
          edits += 1;
          return next(withCommand(call, `${name} ${edits}`));
        },
        priority,
      );
    const { executed, result } = await run([flip('one', 60), flip('two', 40)]);
    expect([executed, edits]).toEqual([[], 9]);
    expect(result).toMatchObject({ isError: true, denied: { reason: 'it was changed more than 8 times' } });
  });

  it('leaves the conversation with the call that the model wrote', async () => {
    const calls: unknown[] = [];
    const model = scriptedModel([
      { toolCalls: [{ name: 'shell', args: { command: 'ls' } }] },
      ({ messages }) => {
        calls.push(...messages.flatMap(({ role, content }) => (role === 'assistant' ? content : [])));
        return { text: 'Done.' };
      },
    ]);
    const editor = gate('editor', async (call, next) => next(withCommand(call, 'ls -a')));
    await using agent = await createAgent({ model, tools: shell([]), plugins: [editor] });
    await agent.run('hello');
    expect(calls).toMatchObject([{ input: { command: 'ls' } }]);
  });
});
