import { describe, expect, it, onTestFinished, vi } from 'vitest';

import { scriptedModel, type ScriptedModel, type ScriptedStep } from '../../testing/src/scripted-model.ts';
import { ShallotError } from './base/errors.ts';
import type { AgentOptions } from './contract/agent-options.ts';
import { definePlugin } from './contract/define-plugin.ts';
import type { Plugin } from './contract/plugin.ts';
import type { RunResult } from './contract/result.ts';
import { defineTool, type Tool } from './contract/tool.ts';
import { createAgent } from './create-agent.ts';
import type { Logger } from './log/logger.ts';
import {
  joinInstructions,
  logToolCalls,
  removeTools,
  returnDirectlyOn,
  withInstructions,
  withTools,
} from './ready-made.ts';

function toolNamed(name: string, execute: () => string = () => `${name} is done`): Tool {
  return defineTool({ name, description: name, input: { type: 'object' }, execute });
}

async function run(
  plugins: readonly Plugin[],
  steps: readonly ScriptedStep[],
  options: Partial<AgentOptions> = {},
): Promise<{ result: RunResult; model: ScriptedModel }> {
  const model = scriptedModel(steps);
  await using agent = await createAgent({ log: 'silent', model, ...options, plugins });
  const result = await agent.run('hello');
  model.assertDone();
  return { result, model };
}

/** A logger that keeps what it is told. */
function listeningLogger(lines: unknown[]): Logger {
  const note = (level: string) => (details: object | string, message?: string) =>
    void lines.push([level, details, message]);
  const logger = {
    trace: note('trace'),
    debug: note('debug'),
    info: note('info'),
    warn: note('warn'),
    error: note('error'),
    fatal: note('fatal'),
    child: () => logger,
  };
  return logger;
}

it('instructions that are no string are named', async () => {
  const failing = run([withInstructions((() => 123) as never)], []);
  await expect(failing).rejects.toThrow('Instructions are the number 123; write a string.');
});

describe('instructions', () => {
  it('are joined by a blank line, without the empty ones', () => {
    expect(joinInstructions('Be brief.', undefined, '', '  \n', 'Be kind.')).toBe('Be brief.\n\nBe kind.');
    expect(joinInstructions()).toBe('');
  });

  it('come from several plugins, in the order of the onion, and hold for each step', async () => {
    const plugins = [
      withInstructions('Be kind.', 'kind'),
      withInstructions(({ step }) => Promise.resolve(`This is step ${step}.`)),
      withInstructions(' ', 'nothing'),
    ];
    const steps = [{ toolCalls: [{ name: 'look' }] }, { text: 'x' }];
    const { model } = await run(plugins, steps, { instructions: 'Be brief.', tools: [toolNamed('look')] });
    expect(model.requests.map(({ instructions }) => instructions)).toEqual([
      'Be brief.\n\nBe kind.\n\nThis is step 1.',
      'Be brief.\n\nBe kind.\n\nThis is step 2.',
    ]);
  });
});

describe('tools', () => {
  it('are added by one plugin and hidden by another; a hidden one cannot be called', async () => {
    const plugins = [withTools([toolNamed('look'), toolNamed('smell')]), removeTools(['look'])];
    const { result, model } = await run(plugins, [{ toolCalls: [{ name: 'look' }] }, { text: 'x' }]);
    expect(model.requests[0]?.tools?.map(({ name }) => name)).toEqual(['smell']);
    expect(result.messages.find(({ role }) => role === 'tool')).toMatchObject({ isError: true });
  });

  it('are hidden by a test of the tool and the run', async () => {
    const late = removeTools((tool, { step }) => tool.effect === 'write' && step > 1);
    const steps = [{ toolCalls: [{ name: 'write' }] }, { text: 'x' }];
    const { model } = await run([late], steps, { tools: [toolNamed('write')] });
    expect(model.requests.map(({ tools }) => tools?.length)).toEqual([1, undefined]);
  });
});

describe('returnDirectlyOn', () => {
  it('ends the run with the result of the tool', async () => {
    const options = { tools: [toolNamed('look')] };
    const { result } = await run([returnDirectlyOn(['look'])], [{ toolCalls: [{ name: 'look' }] }], options);
    expect(result).toMatchObject({ outcome: 'completed', stopReason: 'ended', text: 'look is done' });
  });

  it('goes on after a result that is an error or does not pass the test', async () => {
    const fail = toolNamed('fail', () => {
      throw new Error('no');
    });
    const steps: ScriptedStep[] = [
      { toolCalls: [{ name: 'fail' }] },
      { toolCalls: [{ name: 'look' }] },
      { text: 'the end' },
    ];
    const plugins = [
      returnDirectlyOn(['fail']),
      returnDirectlyOn((_, { content }) => content.length > 1, 'other'),
    ];
    const { result } = await run(plugins, steps, { tools: [fail, toolNamed('look')] });
    expect(result.text).toBe('the end');
  });
});

describe('logToolCalls', () => {
  it('says what was called and what became of it, but not what was said', async () => {
    const lines: unknown[] = [];
    const fail = toolNamed('fail', () => {
      throw new Error('a secret');
    });
    const steps = [
      { toolCalls: [{ name: 'look', args: { at: 'a secret' } }, { name: 'fail' }] },
      { text: 'x' },
    ];
    const options = { tools: [toolNamed('look'), fail], log: listeningLogger(lines) };
    await run([logToolCalls()], steps, options);
    const ms: unknown = expect.any(Number);
    expect(lines).toEqual(
      expect.arrayContaining([
        ['info', { tool: 'look', callId: 'call_1', ms, outcome: 'ok' }, 'tool look: ok'],
        ['info', { tool: 'fail', callId: 'call_2', ms, outcome: 'failed' }, 'tool fail: failed'],
      ]),
    );
    expect(JSON.stringify(lines)).not.toContain('a secret');
  });

  it('says what denied a call or ended it, and for how long it ran, under the level and name that it is given', async () => {
    const lines: unknown[] = [];
    const broken = (thrown: unknown): Plugin =>
      definePlugin({
        name: 'broken',
        wrapToolCall() {
          throw thrown;
        },
      })();
    const denying = definePlugin({
      name: 'denying',
      setup: ({ hooks }) =>
        hooks.wrapToolCall.tap({ name: 'deny', gate: true }, () => {
          throw new Error('not today');
        }),
    })();
    const logged = logToolCalls('debug', 'logging');
    const one = [{ toolCalls: [{ name: 'look' }] }];
    const options = { tools: [toolNamed('look')], log: listeningLogger(lines) };
    await run([logged, denying], [...one, { text: 'x' }], options);
    const ours = new ShallotError('TOOL_FAILED', { message: 'No.' });
    for (const [thrown, message] of [
      [ours, 'No.'],
      [new Error('a fault'), 'a fault'],
    ] as const)
      await expect(run([logged, broken(thrown)], one, options)).rejects.toThrow(message);
    const ms: unknown = expect.any(Number);
    const about = { tool: 'look', callId: 'call_1', ms };
    expect(logged.definition.name).toBe('logging');
    expect(lines).toEqual(
      expect.arrayContaining([
        ['debug', { ...about, outcome: 'denied' }, 'tool look: denied'],
        ['debug', { ...about, outcome: 'threw', code: 'TOOL_FAILED' }, 'tool look: TOOL_FAILED'],
        ['debug', { ...about, outcome: 'threw', code: 'a fault' }, 'tool look: a fault'],
      ]),
    );
  });

  it('counts whole milliseconds from the beginning of the call', async () => {
    let clock = 1000.4;
    const now = vi.spyOn(performance, 'now').mockImplementation(() => clock);
    onTestFinished(() => now.mockRestore());
    const lines: unknown[] = [];
    const look = toolNamed('look', () => {
      clock += 25.4;
      return 'tea';
    });
    const steps = [{ toolCalls: [{ name: 'look' }] }, { text: 'x' }];
    await run([logToolCalls()], steps, { tools: [look], log: listeningLogger(lines) });
    expect(lines).toContainEqual(['info', expect.objectContaining({ ms: 25 }), 'tool look: ok']);
  });
});
