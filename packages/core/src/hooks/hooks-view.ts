import { describeValue } from '../base/describe-value.ts';
import { ShallotError } from '../base/errors.ts';
import { hookNames, type HookName } from '../base/hook-names.ts';
import type {
  Hook,
  Hooks,
  InputTapOptions,
  Interceptor,
  ResultTapOptions,
  TapOptions,
  WrapModelTapOptions,
  WrapToolTapOptions,
} from '../contract/hooks.ts';
import { checkPriority } from '../contract/priority.ts';
import { knowing } from './knowing.ts';
import type { TapRegistration } from './live-tap.ts';
import type { InterceptorRegistration } from './watcher.ts';

/** Receives the registrations of one plugin. */
export interface TapReceiver {
  readonly plugin: string;
  addTap(tap: TapRegistration): void;
  addInterceptor(interceptor: InterceptorRegistration): void;
  isUsed(hook: HookName): boolean;
}

/** Returns the hooks for one plugin: its taps carry its name, and its registrations can be removed. */
export function hooksFor(receiver: TapReceiver): Hooks {
  const views = hookNames.map((hook) => [hook, hookView(hook, receiver)] as const);
  // `views` has one entry per hook name; registrations are validated when they are made.
  return knowing(Object.fromEntries(views), 'hooks', receiver.plugin, tapable) as unknown as Hooks;
}

/** Members of tapable's hooks that are missing here, with the replacement for each. */
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
  beforeAgent: ['name', 'priority', 'tree', 'input'],
  beforeModel: ['name', 'priority', 'tree'],
  wrapModelCall: ['name', 'priority', 'tree', 'internal'],
  afterModel: ['name', 'priority', 'tree'],
  wrapToolCall: ['name', 'priority', 'tree', 'gate', 'result'],
  afterAgent: ['name', 'priority', 'tree'],
};

function hookView(hook: HookName, receiver: TapReceiver): Hook<never, never> {
  const tap = (wantsPromise: boolean) => (given: string | TapOptions, fn: (...args: never[]) => unknown) => {
    const options = checkOptions(hook, given, receiver.plugin);
    const { name, priority, gate = false, internal = false, tree = gate } = options;
    if (typeof fn !== 'function')
      throw misuse(hook, receiver.plugin, `was tapped with ${describeValue(fn)} instead of a function`);
    const on = options.input ? 'input' : options.result ? 'result' : undefined;
    receiver.addTap({ hook, name: name.trim(), priority, gate, internal, tree, on, fn, wantsPromise });
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
  return knowing(members, hook, receiver.plugin, tapable);
}

type AnyTapOptions = WrapModelTapOptions &
  WrapToolTapOptions &
  Partial<Pick<InputTapOptions, 'input'>> &
  Partial<Pick<ResultTapOptions, 'result'>>;

function checkOptions(hook: HookName, given: string | TapOptions, plugin: string): AnyTapOptions {
  const options: AnyTapOptions = typeof given === 'string' ? { name: given } : given;
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
  if (options.gate && options.result)
    throw misuse(hook, plugin, 'was tapped with gate and result; tap it once with each');
  if (options.priority !== undefined) checkPriority(options.priority, plugin);
  return options;
}

function misuse(hook: HookName, plugin: string, what: string): ShallotError {
  return new ShallotError('OPTION_INVALID', { message: `${hook} ${what}.`, plugin, hook });
}
