import { expect, it } from 'vitest';

import { scriptedModel, type ScriptedStep } from '../../../testing/src/scripted-model.ts';
import { definePlugin } from '../contract/define-plugin.ts';
import type { ModelNext } from '../contract/hooks.ts';
import type { ModelRequest, ModelResponse } from '../contract/model.ts';
import type { Plugin } from '../contract/plugin.ts';
import { createAgent } from '../create-agent.ts';

/** The instructions of a request, the finish of a response, or an error. */
function shown(value: unknown): string {
  const { instructions, finish } = value as Partial<ModelRequest & ModelResponse>;
  return instructions ?? finish ?? String(value);
}

/** A plugin that notes what its interceptor of `wrapModelCall` sees. */
function spying(lines: string[]): Plugin {
  return definePlugin({
    name: 'spy',
    setup: ({ hooks }) =>
      hooks.wrapModelCall.intercept({
        call: (request) => void lines.push(`call ${shown(request)}`),
        tap: ({ plugin }, request, { scope }) => {
          lines.push(`${plugin} gets ${shown(request)}, attempt ${scope?.attempt}`);
          return {
            next: (passed) => void lines.push(`${plugin} passes ${shown(passed)}`),
            back: (response, error) => void lines.push(`${plugin} is given ${shown(response ?? error)}`),
            done: (response, error) => void lines.push(`${plugin} returns ${shown(response ?? error)}`),
          };
        },
        result: (response) => void lines.push(`result ${shown(response)}`),
        error: (error) => void lines.push(String(error)),
      }),
  })();
}

function layer(
  name: string,
  wrap: (request: ModelRequest, next: ModelNext) => ReturnType<ModelNext>,
): Plugin {
  return definePlugin({ name, setup: ({ hooks }) => hooks.wrapModelCall.tap('own', wrap) })();
}

async function linesOf(
  steps: readonly ScriptedStep[],
  ...layers: readonly Plugin[]
): Promise<readonly string[]> {
  const lines: string[] = [];
  const plugins = [...layers, spying(lines)];
  await using agent = await createAgent({
    log: 'silent',
    model: scriptedModel(steps),
    instructions: 'A',
    plugins,
  });
  await agent.run('hello').catch(() => {});
  return lines;
}

it('an interceptor sees each layer get, pass on, be given and return', async () => {
  const adding = layer('adding', (request, next) => next({ ...request, instructions: 'B' }));
  const passing = layer('passing', (request, next) => next(request));
  expect(await linesOf([{ text: 'x' }], adding, passing)).toEqual([
    'call A',
    'adding gets A, attempt 1',
    'adding passes B',
    'passing gets B, attempt 1',
    'passing passes B',
    'passing is given stop',
    'passing returns stop',
    'adding is given stop',
    'adding returns stop',
    'result stop',
  ]);
});

it('an interceptor sees what fails, and what is tried again', async () => {
  const error = new Error('down');
  const retrying = layer('retrying', async (request, next) => {
    try {
      return await next(request);
    } catch {
      return next(request);
    }
  });
  const passing = layer('passing', (request, next) => next(request));
  expect(await linesOf([{ error }, { text: 'x' }], retrying, passing)).toEqual([
    'call A',
    'retrying gets A, attempt 1',
    'retrying passes A',
    'passing gets A, attempt 1',
    'passing passes A',
    'passing is given Error: down',
    'passing returns Error: down',
    'retrying is given Error: down',
    'retrying passes A',
    'passing gets A, attempt 2',
    'passing passes A',
    'passing is given stop',
    'passing returns stop',
    'retrying is given stop',
    'retrying returns stop',
    'result stop',
  ]);
  expect((await linesOf([{ error }], passing)).slice(-2)).toEqual([
    'passing returns Error: down',
    'Error: down',
  ]);
});

it('an interceptor whose promise rejects fails the run by name', async () => {
  const interceptor = { name: 'late', call: (): unknown => Promise.reject(new Error('no')) };
  const rejecting = definePlugin({
    name: 'spy',
    setup: ({ hooks }) => hooks.wrapModelCall.intercept(interceptor),
  })();
  const model = scriptedModel([{ chunks: [], stall: true }]);
  await using agent = await createAgent({ log: 'silent', model, plugins: [rejecting] });
  await expect(agent.run('hello')).rejects.toMatchObject({
    code: 'HOOK_INTERCEPTOR',
    plugin: 'spy',
    hook: 'wrapModelCall',
    message:
      'The interceptor "late" of spy on wrapModelCall threw in call: no. An interceptor may only observe.',
  });
});
