import type { HookName } from '../../src/base/hook-names.ts';
import { definePlugin } from '../../src/contract/define-plugin.ts';
import type { Plugin } from '../../src/contract/plugin.ts';
import { defineTool } from '../../src/contract/tool.ts';
import type { Call, Misdeed } from './misdeed.ts';

/** Where in a plugin a bug can be. */
export interface Place {
  readonly name: string;
  /** Undefined for aroundRun, which is no hook. */
  readonly hook: HookName | undefined;
  /** `run`: the run fails. `noted`: the run has its outcome already. `call`: the tool call is answered with an error. */
  readonly failure: 'run' | 'noted' | 'call';
  /** True if the bug's return value is looked at. */
  readonly returns: boolean;
  /** True if it has a `next`. */
  readonly wraps: boolean;
  /** True if it is entered only if somebody follows the run. */
  readonly streams?: boolean;
  /** True if it is in a tool of the plugin's own, `look`. */
  readonly bringsTool?: boolean;
  plugin(bug: Misdeed): Plugin;
}

type AnyTap = (name: string | object, fn: unknown) => void;
type AnyCall = (...args: unknown[]) => unknown;

/** Calls a bug with what a tap got. */
function calling(bug: Misdeed, hook: HookName): (...args: never[]) => unknown {
  return (...args: unknown[]) => {
    const [value, second, third] = hook === 'beforeAgent' ? [args[0], args[0]] : args;
    // The hooks' arguments, without their types: a bug has none.
    if (!hook.startsWith('wrap')) return bug.commit({ value, next: undefined, run: second as Call['run'] });
    const { run } = third as { readonly run: Call['run'] };
    return bug.commit({ value, next: second as AnyCall as Call['next'], run });
  };
}

function tapped(hook: HookName, failure: Place['failure'] = 'run'): Place {
  return {
    name: hook,
    hook,
    failure,
    returns: true,
    wraps: hook.startsWith('wrap'),
    plugin: (bug) =>
      definePlugin({
        name: 'bad',
        setup: ({ hooks }) => (hooks[hook].tap as AnyTap)('bug', calling(bug, hook)),
      })(),
  };
}

/** A bug in what a wrap does with the value that came back. */
function onTheWayOut(hook: 'wrapModelCall' | 'wrapToolCall', gate: boolean): Place {
  return {
    name: `${hook}, ${gate ? 'gate ' : ''}on the way out`,
    hook,
    failure: gate ? 'call' : 'run',
    returns: true,
    wraps: false,
    plugin: (bug) =>
      definePlugin({
        name: 'bad',
        setup: ({ hooks }) =>
          (hooks[hook].tap as AnyTap)(
            { name: 'bug', ...(gate ? { gate } : {}) },
            async (
              request: unknown,
              next: (request: unknown) => Promise<unknown>,
              { run }: { readonly run: Call['run'] },
            ) => bug.commit({ value: await next(request), next: undefined, run }),
          ),
      })(),
  };
}

/** A bug in a callback of an interceptor. */
function intercepting(hook: HookName, callback: 'call' | 'tap' | 'result' | 'done'): Place {
  return {
    name: `interceptor of ${hook}, ${callback}`,
    hook,
    failure: hook === 'afterAgent' ? 'noted' : 'run',
    returns: false,
    wraps: false,
    plugin: (bug) =>
      definePlugin({
        name: 'bad',
        setup({ hooks }) {
          const commit = (value: unknown): never => bug.commit({ value, next: undefined, run: {} }) as never;
          (hooks[hook].tap as AnyTap)('through', (value: unknown, next: AnyCall) =>
            hook.startsWith('wrap') ? next(value) : undefined,
          );
          hooks[hook].intercept(
            callback === 'done'
              ? { tap: () => ({ done: commit }) }
              : { [callback]: (value: unknown) => commit(value) },
          );
        },
      })(),
  };
}

function framed(when: 'before' | 'after'): Place {
  return {
    name: `aroundRun, ${when} the run`,
    hook: undefined,
    failure: when === 'before' ? 'run' : 'noted',
    returns: false,
    wraps: false,
    plugin: (bug) =>
      definePlugin({
        name: 'bad',
        setup: ({ aroundRun }) =>
          aroundRun(async (run, next) => {
            const call = { value: {}, next: undefined, run: run as unknown as Call['run'] };
            if (when === 'before') await bug.commit(call);
            const result = await next();
            if (when === 'after') await bug.commit(call);
            return result;
          }),
      })(),
  };
}

const executing: Place = {
  name: 'execute of a tool',
  hook: undefined,
  failure: 'call',
  returns: false,
  wraps: false,
  bringsTool: true,
  plugin: (bug) =>
    definePlugin({
      name: 'bad',
      setup({ tools }) {
        const execute = (value: unknown): never => bug.commit({ value, next: undefined, run: {} }) as never;
        tools.add(defineTool({ name: 'look', description: 'Looks.', input: { type: 'object' }, execute }));
      },
    })(),
};

const emitting: Place = {
  name: 'emit of wrapModelCall',
  hook: 'wrapModelCall',
  failure: 'run',
  streams: true,
  returns: false,
  wraps: false,
  plugin: (bug) =>
    definePlugin({
      name: 'bad',
      wrapModelCall: (request, next) =>
        next(request, { emit: (value) => bug.commit({ value, next: undefined, run: {} }) as never }),
    })(),
};

/** All places of a plugin where a bug can be, of those that a run enters. */
export const places: readonly Place[] = [
  tapped('beforeAgent'),
  tapped('beforeModel'),
  tapped('wrapModelCall'),
  onTheWayOut('wrapModelCall', false),
  tapped('afterModel'),
  tapped('wrapToolCall'),
  onTheWayOut('wrapToolCall', false),
  { ...tapped('wrapToolCall', 'call'), name: 'wrapToolCall, gate', plugin: gateWith },
  onTheWayOut('wrapToolCall', true),
  tapped('afterAgent', 'noted'),
  intercepting('beforeModel', 'call'),
  intercepting('wrapModelCall', 'tap'),
  intercepting('wrapToolCall', 'result'),
  intercepting('afterAgent', 'done'),
  framed('before'),
  framed('after'),
  executing,
  emitting,
];

function gateWith(bug: Misdeed): Plugin {
  return definePlugin({
    name: 'bad',
    setup: ({ hooks }) =>
      hooks.wrapToolCall.tap({ name: 'bug', gate: true }, calling(bug, 'wrapToolCall') as never),
  })();
}
