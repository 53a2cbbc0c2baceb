import type { HookName } from '../../src/base/hook-names.ts';
import { definePlugin } from '../../src/contract/define-plugin.ts';
import type { Plugin } from '../../src/contract/plugin.ts';
import { defineTool } from '../../src/contract/tool.ts';
import type { Call, Misdeed } from './misdeed.ts';

/** A place in a plugin at which a bug can run. */
export interface Place {
  readonly name: string;
  /** Undefined for places outside of hooks, such as `aroundRun`. */
  readonly hook: HookName | undefined;
  /**
   * The effect of an error. `run`: the run fails. `noted`: the error is added to the result, and the outcome stays.
   * `call`: the tool call gets an error result.
   */
  readonly failure: 'run' | 'noted' | 'call';
  /** True if the core uses the bug's return value. */
  readonly returns: boolean;
  /** True if the bug gets a `next`. */
  readonly wraps: boolean;
  /** True if the place is reached only in a streamed run. */
  readonly streams?: boolean;
  /** True if the bug is in a tool `look` that the plugin adds. */
  readonly bringsTool?: boolean;
  plugin(bug: Misdeed): Plugin;
}

type AnyTap = (name: string | object, fn: unknown) => void;
type AnyCall = (...args: unknown[]) => unknown;

/** Returns a tap that passes its arguments to a bug. */
function calling(bug: Misdeed, hook: HookName): (...args: never[]) => unknown {
  return (...args: unknown[]) => {
    const [value, second, third] = hook === 'beforeAgent' ? [args[0], args[0]] : args;
    // The arguments of the hooks lose their types here, because bugs have none.
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

/** Returns the place in a wrap after `next` has returned. */
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

/** Returns the place in a callback of an interceptor. */
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

/** All places that a run reaches. */
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
