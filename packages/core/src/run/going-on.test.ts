import { describe, expect, it } from 'vitest';

import { assertValidRequest } from '../../../testing/src/assert-valid-request.ts';
import { collectEvents } from '../../../testing/src/collect-events.ts';
import { scriptedModel, type ScriptedModel, type ScriptedStep } from '../../../testing/src/scripted-model.ts';
import type { Agent } from '../agent.ts';
import { isShallotError, type ShallotError } from '../base/errors.ts';
import type { AgentOptions } from '../contract/agent-options.ts';
import { definePlugin } from '../contract/define-plugin.ts';
import { textOf, type Message } from '../contract/messages.ts';
import type { ToolEffect } from '../contract/tool-display.ts';
import { defineTool, type Tool } from '../contract/tool.ts';
import { createAgent } from '../create-agent.ts';
import { memoryStore } from '../sessions/stores/memory-store.ts';
import { abandonRun } from './abandon-run.ts';

const yes = { const: 'yes' } as const;
const never = (): Promise<never> => new Promise(() => {});

/** A tool that says what it did, how often it was executed, and does something else the first time. */
function tool(
  name: string,
  effect: ToolEffect,
  first?: () => unknown,
): Tool & { readonly times: () => number } {
  let times = 0;
  const made = defineTool({
    name,
    description: `Does ${name}.`,
    input: { type: 'object' },
    effect,
    async execute() {
      times += 1;
      if (times === 1) await first?.();
      return `${name}: done`;
    },
  });
  return { ...made, times: () => times };
}

const asking = defineTool({
  name: 'ask',
  description: 'Asks.',
  input: { type: 'object' },
  execute: (_, { interrupt }) => interrupt({ kind: 'q', payload: 'May I?', answer: yes }),
});

function agentWith(options: Partial<AgentOptions> & { readonly model: ScriptedModel }): Promise<Agent> {
  return createAgent({ log: 'silent', ...options });
}

/** Runs until it is rejected. */
async function rejected(run: Promise<unknown>): Promise<ShallotError> {
  const error: unknown = await run.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!isShallotError(error)) throw new Error('the run was not rejected', { cause: error });
  return error;
}

async function messagesOf(agent: Agent): Promise<readonly Message[]> {
  const messages = (await agent.session('s'))?.messages ?? [];
  return messages;
}

async function linesOf(agent: Agent): Promise<string[]> {
  return (await messagesOf(agent)).map((message) => `${message.role}: ${textOf(message)}`);
}

describe('a run that was aborted', () => {
  /** Aborts as soon as the tool of that name is executed for the first time. */
  async function abortedIn(effect: ToolEffect) {
    const controller = new AbortController();
    const slow = tool('slow', effect, () => {
      controller.abort();
      return never();
    });
    const quick = tool('quick', 'write');
    const model = scriptedModel([
      { toolCalls: [{ name: 'quick' }, { name: 'slow' }, { name: 'quick' }] },
      { text: 'Done.' },
    ]);
    const agent = await agentWith({ model, tools: [quick, slow], toolConcurrency: 1 });
    const { code, result } = await rejected(agent.run('Go', { sessionId: 's', signal: controller.signal }));
    expect([code, result?.outcome]).toEqual(['RUN_ABORTED', 'aborted']);
    return { agent, model, slow, quick };
  }

  it('goes on where it stood: what was done is not done again, and what may be repeated is', async () => {
    const { agent, model, slow, quick } = await abortedIn('read');
    expect(await agent.session('s')).toMatchObject({ status: 'aborted', resumable: true });
    expect(await agent.resume('s')).toMatchObject({ outcome: 'completed', text: 'Done.', steps: 2 });
    expect([quick.times(), slow.times()]).toEqual([2, 2]);
    expect(await linesOf(agent)).toEqual([
      'user: Go',
      'assistant: ',
      'tool: quick: done',
      'tool: slow: done',
      'tool: quick: done',
      'assistant: Done.',
    ]);
    for (const request of model.requests) assertValidRequest(request);
    await agent.close();
  });

  it('asks what became of a write that was under way', async () => {
    const { agent, slow } = await abortedIn('write');
    const asked = await agent.resume('s');
    // No process died: the run was aborted.
    const message = 'The run stopped while slow was running. It is not known whether the call took effect.';
    expect(asked).toMatchObject({
      outcome: 'interrupted',
      interrupts: [{ kind: 'unknown-effect', payload: { message } }],
    });
    const answer = { action: 'result', result: 'It was done.' };
    expect(await agent.resume('s', { [asked.interrupts[0]?.id ?? '']: answer })).toMatchObject({
      text: 'Done.',
    });
    expect(slow.times()).toBe(1);
    expect(await linesOf(agent)).toContain('tool: It was done.');
    await agent.close();
  });

  it('is given up by the next run, which answers its calls with what is known', async () => {
    const { agent, model } = await abortedIn('write');
    expect(await agent.run('And now?', { sessionId: 's' })).toMatchObject({ text: 'Done.' });
    expect(await linesOf(agent)).toEqual([
      'user: Go',
      'assistant: ',
      'tool: quick: done',
      'tool: It is not known whether this call took effect: it had started when the run was aborted.',
      'tool: not executed: the run was aborted',
      'user: And now?',
      'assistant: Done.',
    ]);
    for (const request of model.requests) assertValidRequest(request);
    await expect(agent.resume('s')).rejects.toMatchObject({ code: 'SESSION_NOT_RESUMABLE' });
    await agent.close();
  });

  it('keeps its questions, and takes their answers', async () => {
    const controller = new AbortController();
    const slow = tool('slow', 'read', never);
    const model = scriptedModel([{ toolCalls: [{ name: 'ask' }, { name: 'slow' }] }, { text: 'Done.' }]);
    await using agent = await agentWith({ model, tools: [asking, slow] });
    const stream = agent.stream('Go', { sessionId: 's', signal: controller.signal });
    const failure = rejected(stream.result);
    for await (const event of stream) {
      if (event.type === 'interrupt') break;
    }
    const { result } = await failure;
    const [question] = result?.interrupts ?? [];
    expect(question).toMatchObject({ payload: 'May I?' });
    expect((await agent.session('s'))?.interrupts).toEqual([question]);
    expect(await agent.resume('s', { [question?.id ?? '']: 'yes' })).toMatchObject({ text: 'Done.' });
  });

  it('is given up with its questions by the next run', async () => {
    const slow = tool('slow', 'read', never);
    const model = scriptedModel([{ toolCalls: [{ name: 'ask' }, { name: 'slow' }] }, { text: 'Done.' }]);
    await using agent = await agentWith({ model, tools: [asking, slow] });
    const stream = agent.stream('Go', { sessionId: 's' });
    const failure = rejected(stream.result);
    for await (const event of stream) {
      if (event.type === 'interrupt') break;
    }
    const { result } = await failure;
    expect(result?.interrupts).toHaveLength(1);
    await agent.run('And now?', { sessionId: 's' });
    expect((await agent.session('s'))?.interrupts).toEqual([]);
    expect(await linesOf(agent)).toContain('tool: not executed: the run was aborted');
  });

  it('before its input was kept begins with beforeAgent', async () => {
    const controller = new AbortController();
    let entered = 0;
    const plugin = definePlugin({
      name: 'slow',
      async beforeAgent() {
        entered += 1;
        if (entered > 1) return;
        controller.abort();
        await never();
      },
    })();
    await using agent = await agentWith({ model: scriptedModel([{ text: 'Done.' }]), plugins: [plugin] });
    await rejected(agent.run('Go', { sessionId: 's', signal: controller.signal }));
    expect(await agent.resume('s')).toMatchObject({ text: 'Done.', outcome: 'completed' });
    expect(await linesOf(agent)).toEqual(['user: Go', 'assistant: Done.']);
    expect(entered).toBe(2);
  });

  it('says why, with one full stop', async () => {
    await using agent = await agentWith({ model: scriptedModel([]) });
    const reason = new Error('The agent was closed.');
    const { message } = await rejected(agent.run('Go', { signal: AbortSignal.abort(reason) }));
    expect(message).toBe('The run was aborted: The agent was closed.');
  });
});

describe('text that was streamed before an abort', () => {
  /** Leaves the stream when the first text has come. */
  async function leftWhileStreaming(next: ScriptedStep, chunks = ['Once upon ', 'a time']) {
    const model = scriptedModel([{ chunks, stall: true }, next]);
    const agent = await agentWith({ model });
    let seen = '';
    const stream = agent.stream('Tell.', { sessionId: 's' });
    for await (const event of stream) {
      if (event.type === 'text-delta') seen += event.text;
      if (seen === chunks.join('')) break;
    }
    return { agent, model };
  }

  it('goes into the history with the next run, marked as broken off', async () => {
    const { agent, model } = await leftWhileStreaming({ text: 'Yes.' });
    expect(await linesOf(agent)).toEqual(['user: Tell.']);
    await agent.run('Go on?', { sessionId: 's' });
    expect(await linesOf(agent)).toEqual([
      'user: Tell.',
      'assistant: Once upon a time',
      'user: Go on?',
      'assistant: Yes.',
    ]);
    const [, kept, , answer] = await messagesOf(agent);
    expect(kept?.metadata).toEqual({ core: { brokenOff: true } });
    expect(answer?.metadata).toBeUndefined();
    expect(model.requests[1]?.messages).toHaveLength(3);
    await agent.close();
  });

  it('is not kept when it is white space alone, which providers refuse', async () => {
    const { agent } = await leftWhileStreaming({ text: 'Yes.' }, ['\n\n']);
    await agent.run('Go on?', { sessionId: 's' });
    expect(await linesOf(agent)).toEqual(['user: Tell.', 'user: Go on?', 'assistant: Yes.']);
    await agent.close();
  });

  it('is dropped by a resume, which asks the model anew', async () => {
    const { agent, model } = await leftWhileStreaming({ text: 'There was an onion.' });
    const { text } = await collectEvents(agent.streamResume('s'));
    expect(text).toBe('There was an onion.');
    expect(await linesOf(agent)).toEqual(['user: Tell.', 'assistant: There was an onion.']);
    expect(model.requests[1]?.messages).toEqual(model.requests[0]?.messages);
    await agent.close();
  });

  it('is not kept when the turn that it belongs to was', async () => {
    const controller = new AbortController();
    const slow = tool('slow', 'read', () => {
      controller.abort();
      return never();
    });
    const model = scriptedModel([{ text: 'I look.', toolCalls: [{ name: 'slow' }] }, { text: 'Yes.' }]);
    await using agent = await agentWith({ model, tools: [slow] });
    await rejected(agent.stream('Go', { sessionId: 's', signal: controller.signal }).result);
    await agent.run('And now?', { sessionId: 's' });
    expect(await linesOf(agent)).toEqual([
      'user: Go',
      'assistant: I look.',
      'tool: not executed: the run was aborted',
      'user: And now?',
      'assistant: Yes.',
    ]);
  });
});

describe('a run that failed on the way', () => {
  it('by its model asks it again, and does not repeat the tools', async () => {
    const look = tool('look', 'write');
    const overloaded = Object.assign(new Error('overloaded'), { transient: true });
    const model = scriptedModel([
      { toolCalls: [{ name: 'look' }] },
      { error: overloaded },
      { text: 'Done.' },
    ]);
    await using agent = await agentWith({ model, tools: [look] });
    expect(await rejected(agent.run('Go', { sessionId: 's' }))).toMatchObject({ result: { steps: 2 } });
    expect(await agent.session('s')).toMatchObject({ status: 'failed', resumable: true });
    expect(await agent.resume('s')).toMatchObject({ text: 'Done.', steps: 2 });
    expect(look.times()).toBe(1);
  });

  for (const hook of ['beforeAgent', 'beforeModel', 'afterModel', 'wrapModelCall', 'wrapToolCall'] as const) {
    it(`by ${hook} goes on with it`, async () => {
      let isBroken = true;
      const plugin = definePlugin({
        name: 'broken',
        setup({ hooks }) {
          const tap = hooks[hook].tap as (name: string, fn: (...args: never[]) => unknown) => void;
          tap('break', (value: unknown, next: unknown) => {
            if (isBroken) throw new Error('no');
            return typeof next === 'function' ? (next as (value: unknown) => unknown)(value) : undefined;
          });
        },
      })();
      const look = tool('look', 'write');
      const model = scriptedModel([{ toolCalls: [{ name: 'look' }] }, { text: 'Done.' }]);
      await using agent = await agentWith({ model, tools: [look], plugins: [plugin] });
      expect(await rejected(agent.run('Go', { sessionId: 's' }))).toMatchObject({ code: 'PLUGIN_FAILED' });
      isBroken = false;
      expect(await agent.resume('s')).toMatchObject({ text: 'Done.', steps: 2 });
      expect(look.times()).toBe(1);
      const lines = ['user: Go', 'assistant: ', 'tool: look: done', 'assistant: Done.'];
      expect(await linesOf(agent)).toEqual(lines);
    });
  }

  it('is given up by the next run, which needs no leave to do so', async () => {
    const model = scriptedModel([{ error: new Error('no') }, { text: 'Done.' }]);
    await using agent = await agentWith({ model });
    await rejected(agent.run('Go', { sessionId: 's' }));
    expect(await agent.run('And now?', { sessionId: 's' })).toMatchObject({ text: 'Done.' });
    expect(await linesOf(agent)).toEqual(['user: Go', 'user: And now?', 'assistant: Done.']);
  });
});

describe('a run that a failure has ended', () => {
  it('by a tool stays ended, and the calls that waited beside it are answered', async () => {
    const bad = tool('bad', 'write', () => {
      throw new Error('broken');
    });
    const model = scriptedModel([{ toolCalls: [{ name: 'ask' }, { name: 'bad' }] }]);
    await using agent = await agentWith({ model, tools: [asking, bad], toolErrors: 'throw' });
    expect(await rejected(agent.run('Go', { sessionId: 's' }))).toMatchObject({ code: 'TOOL_FAILED' });
    expect(await agent.session('s')).toMatchObject({ status: 'failed', resumable: false, interrupts: [] });
    expect(await linesOf(agent)).toEqual([
      'user: Go',
      'assistant: ',
      'tool: not executed: the run failed',
      'tool: The tool bad failed: broken',
    ]);
    await expect(agent.resume('s')).rejects.toMatchObject({ code: 'SESSION_NOT_RESUMABLE' });
  });

  it('by an answer that does not fit stays ended', async () => {
    const model = scriptedModel([{ text: 'No.' }, { text: 'No.' }]);
    await using agent = await agentWith({ model });
    const output = { type: 'object' } as const;
    expect(await rejected(agent.run('Go', { sessionId: 's', output }))).toMatchObject({
      code: 'OUTPUT_INVALID',
    });
    expect(await agent.session('s')).toMatchObject({ status: 'failed', resumable: false });
    await expect(agent.resume('s')).rejects.toMatchObject({ code: 'SESSION_NOT_RESUMABLE' });
  });
});

describe('stop', () => {
  it('lets the step end with all its calls, and leaves a run that can be taken up', async () => {
    const begun = Promise.withResolvers<void>();
    const release = Promise.withResolvers<void>();
    const slow = tool('slow', 'write', () => {
      begun.resolve();
      return release.promise;
    });
    const quick = tool('quick', 'write');
    const model = scriptedModel([{ toolCalls: [{ name: 'slow' }, { name: 'quick' }] }, { text: 'Done.' }]);
    await using agent = await agentWith({ model, tools: [slow, quick], toolConcurrency: 1 });
    const run = rejected(agent.run('Go', { sessionId: 's' }));
    await begun.promise;
    expect(await agent.stop('s')).toBe(true);
    release.resolve();
    expect(await run).toMatchObject({
      code: 'RUN_ABORTED',
      message: 'The run was aborted: agent.stop ended it after step 1.',
      result: { outcome: 'aborted', steps: 1 },
    });
    expect((await linesOf(agent)).slice(2)).toEqual(['tool: slow: done', 'tool: quick: done']);
    expect(await agent.resume('s')).toMatchObject({ outcome: 'completed', text: 'Done.' });
    expect([slow.times(), quick.times()]).toEqual([1, 1]);
  });

  it('does nothing to a run whose step is its last, nor where there is none', async () => {
    const model = scriptedModel([
      () => {
        void agent.stop('s');
        return { text: 'Done.' };
      },
      { text: 'Again.' },
    ]);
    const agent = await agentWith({ model });
    expect(await agent.run('Go', { sessionId: 's' })).toMatchObject({ outcome: 'completed' });
    expect(await agent.stop('s')).toBe(false);
    expect(await agent.run('Go', { sessionId: 's' })).toMatchObject({ text: 'Again.' });
    await agent.close();
  });

  it('holds for a run that has not got its session yet', async () => {
    const model = scriptedModel([{ text: 'Done.' }]);
    await using agent = await agentWith({ model });
    const run = rejected(agent.run('Go', { sessionId: 's' }));
    expect(await agent.stop('s')).toBe(true);
    expect(await run).toMatchObject({ code: 'RUN_ABORTED', result: { steps: 0 } });
    expect(await agent.resume('s')).toMatchObject({ text: 'Done.' });
  });
});

describe('abandonRun', () => {
  it('gives a waiting run up, without an agent', async () => {
    const store = memoryStore();
    const model = scriptedModel([{ toolCalls: [{ name: 'ask' }] }, { text: 'Done.' }]);
    await using agent = await agentWith({ model, tools: [asking], store });
    await agent.run('Go', { sessionId: 's' });
    await abandonRun(store, 's');
    expect(await agent.session('s')).toMatchObject({ status: 'aborted', resumable: false, interrupts: [] });
    expect(await linesOf(agent)).toEqual([
      'user: Go',
      'assistant: ',
      'tool: not executed: the run was abandoned',
    ]);
    await expect(agent.resume('s')).rejects.toMatchObject({ code: 'SESSION_NOT_RESUMABLE' });
    await expect(abandonRun(store, 's')).rejects.toMatchObject({ code: 'SESSION_NOT_RESUMABLE' });
    await expect(abandonRun(store, 'other')).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' });
    expect(await agent.run('And now?', { sessionId: 's' })).toMatchObject({ text: 'Done.' });
  });
});
