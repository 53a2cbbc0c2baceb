import { describeValue } from '../base/describe-value.ts';
import { ShallotError } from '../base/errors.ts';
import { hookNames, type HookName } from '../base/hook-names.ts';
import { nearest } from '../base/nearest.ts';
import type {
  Hook,
  Hooks,
  Interceptor,
  TapOptions,
  WrapModelTapOptions,
  WrapToolTapOptions,
} from '../contract/hooks.ts';
import { checkPriority } from '../contract/priority.ts';
import type { TapRegistration } from './live-tap.ts';
import type { InterceptorRegistration } from './watcher.ts';

/** What a plugin's taps are handed to. */
export interface TapReceiver {
  readonly plugin: string;
  addTap(tap: TapRegistration): void;
  addInterceptor(interceptor: InterceptorRegistration): void;
  isUsed(hook: HookName): boolean;
}

/** The hooks as one plugin sees them: its taps carry its name, and what it registers can be undone. */
export function hooksFor(receiver: TapReceiver): Hooks {
  const views = hookNames.map((hook) => [hook, hookView(hook, receiver)] as const);
  // One view of each hook's name; what each may be given is checked when it is tapped.
  return knowing(Object.fromEntries(views), 'hooks', receiver.plugin) as unknown as Hooks;
}

/** An object that says which members it has when it is asked for another one: a misspelt hook would only be undefined. */
function knowing<T extends object>(members: T, what: string, plugin: string): T {
  const names = Object.keys(members);
  const unknown = new Proxy(
    {},
    {
      get(target, key): unknown {
        // What JavaScript asks of any object.
        if (typeof key === 'symbol' || key in target || key === 'then' || key === 'toJSON')
          return Reflect.get(target, key);
        const near = nearest(key, names);
        const instead = tapable[key];
        if (instead !== undefined)
          throw new ShallotError('OPTION_INVALID', {
            message: `There is no "${key}" in ${what}. ${instead}`,
            plugin,
          });
        const advice = near === undefined ? `There are ${names.join(', ')}.` : `Did you mean "${near}"?`;
        throw new ShallotError('OPTION_INVALID', {
          message: `There is no "${key}" in ${what}. ${advice}`,
          plugin,
        });
      },
    },
  );
  // Members that are there never come to the proxy.
  return Object.freeze(Object.setPrototypeOf(members, unknown)) as T;
}

/** Members of tapable's hooks, and what there is in their place. */
const tapable: Readonly<Record<string, string>> = {
  tapAsync: 'Use tapPromise, or tap with a function that returns a promise.',
  withOptions: 'Pass { name, priority } to tap, or give the plugin a priority.',
  taps: 'agent.layers() lists the taps of each hook in execution order.',
  interceptors: 'intercept adds an interceptor; those of other plugins are not visible.',
  call: 'Only the core calls a hook.',
  callAsync: 'Only the core calls a hook.',
  promise: 'Only the core calls a hook.',
};

const optionKeys: Readonly<Record<HookName, readonly string[]>> = {
  beforeAgent: ['name', 'priority'],
  beforeModel: ['name', 'priority'],
  wrapModelCall: ['name', 'priority', 'internal'],
  afterModel: ['name', 'priority'],
  wrapToolCall: ['name', 'priority', 'gate'],
  afterAgent: ['name', 'priority'],
};

function hookView(hook: HookName, receiver: TapReceiver): Hook<never, never> {
  const tap = (wantsPromise: boolean) => (given: string | TapOptions, fn: (...args: never[]) => unknown) => {
    const { name, priority, gate = false, internal = false } = checkOptions(hook, given, receiver.plugin);
    if (typeof fn !== 'function')
      throw misuse(hook, receiver.plugin, `was tapped with ${describeValue(fn)} instead of a function`);
    receiver.addTap({ hook, name: name.trim(), priority, gate, internal, fn, wantsPromise });
  };
  const members = {
    name: hook,
    tap: tap(false),
    tapPromise: tap(true),
    intercept: (interceptor: Interceptor) => {
      if (typeof interceptor !== 'object' || interceptor === null) {
        throw misuse(
          hook,
          receiver.plugin,
          `was intercepted with ${describeValue(interceptor)} instead of an object of callbacks`,
        );
      }
      receiver.addInterceptor({ hook, interceptor: { ...interceptor } });
    },
    isUsed: () => receiver.isUsed(hook),
  };
  return knowing(members, hook, receiver.plugin);
}

type AnyTapOptions = WrapModelTapOptions & WrapToolTapOptions;

function checkOptions(hook: HookName, given: string | TapOptions, plugin: string): AnyTapOptions {
  const options = typeof given === 'string' ? { name: given } : given;
  if (
    typeof options !== 'object' ||
    options === null ||
    typeof options.name !== 'string' ||
    options.name.trim() === ''
  ) {
    throw misuse(hook, plugin, `was tapped without a name; pass a name, or { name: '…' }`);
  }
  const known = optionKeys[hook];
  const unknown = Object.keys(options).filter((key) => !known.includes(key));
  if (unknown.length > 0) {
    throw misuse(
      hook,
      plugin,
      `was tapped with the unknown option "${unknown.join('", "')}"; it takes ${known.join(', ')}. Set the order with priority, outside and inside of the plugin`,
    );
  }
  if (options.priority !== undefined) checkPriority(options.priority, plugin);
  return options;
}

function misuse(hook: HookName, plugin: string, what: string): ShallotError {
  return new ShallotError('OPTION_INVALID', { message: `${hook} ${what}.`, plugin, hook });
}
