import { describeValue } from '../../base/describe-value.ts';
import { isShallotError, ShallotError } from '../../base/errors.ts';
import { inTime } from '../../base/in-time.ts';
import { isPromise } from '../../base/is-promise.ts';
import type { JsonObject } from '../../base/json.ts';
import { frozenJson } from '../../base/json/frozen-json.ts';
import { onAbort } from '../../base/on-abort.ts';
import { messageOf } from '../../base/thrown.ts';
import type { InputContext, InputFunction } from '../../contract/hooks.ts';
import { isInterrupt } from '../../contract/interrupt-signal.ts';
import { toMessages, type Input, type Message } from '../../contract/messages.ts';
import { badResult } from '../../hooks/bad-result.ts';
import { unknownMembers } from '../../hooks/knowing.ts';
import type { LiveTap } from '../../hooks/live-tap.ts';
import type { LiveSession } from '../../sessions/live/live-session.ts';
import type { AgentParts } from '../agent-parts.ts';
import type { TreeState } from '../child-terms.ts';
import type { DeclaredState } from '../live-plugins.ts';

/** Entries for plugin state, committed together with the messages they belong to. */
export type KeptEntries = readonly { readonly state: DeclaredState; readonly entries: JsonObject }[];

/** Messages after the taps on the input. */
export interface PassedInput {
  readonly messages: readonly Message[];
  readonly kept: KeptEntries;
}

/** The context of the taps on the input. */
export interface InputTerms extends Pick<InputContext, 'kind' | 'context' | 'sessionId' | 'signal'> {
  readonly newMessageId: () => string;
}

/**
 * Passes messages through the taps on the input, outside in, before they are stored. Returns a promise only if a tap
 * did. @throws a tap's refusal, `HOOK_RESULT`, `HOOK_TIMEOUT`, `PLUGIN_FAILED`, `RUN_ABORTED`
 */
export function passInput(
  parts: AgentParts,
  messages: readonly Message[],
  terms: InputTerms,
): PassedInput | Promise<PassedInput> {
  const taps = new InputTaps(parts, terms);
  const passed = taps.pass(parts.onion.chains.inputs, messages);
  const { kept } = taps;
  return isPromise(passed) ? passed.then((given) => ({ messages: given, kept })) : { messages: passed, kept };
}

/** Passes the input of a new run through the taps on the input. */
export function passNewInput(
  parts: AgentParts,
  runId: string,
  input: Input,
  terms: Pick<InputTerms, 'context' | 'sessionId' | 'signal'>,
): PassedInput | Promise<PassedInput> {
  let count = 0;
  const newMessageId = (): string => `${runId}.input.${(count += 1)}`;
  return passInput(parts, toMessages(input, newMessageId), { ...terms, kind: 'input', newMessageId });
}

/** Writes the entries that taps kept to the session, or to that of the root; the next commit includes them. */
export function keepEntries(session: LiveSession, kept: KeptEntries, root?: TreeState): void {
  for (const { state, entries } of kept) {
    const { key, merge, owner, tree } = state;
    if (tree && root !== undefined)
      root.setState(owner.id, key, 'session', merge(root.stateEntry(owner.id, key, 'session'), entries));
    else session.setState(owner.id, key, merge(session.stateEntry(owner.id, key), entries));
  }
}

class InputTaps {
  readonly kept: { readonly state: DeclaredState; readonly entries: JsonObject }[] = [];
  readonly #parts: AgentParts;
  readonly #terms: InputTerms;

  constructor(parts: AgentParts, terms: InputTerms) {
    this.#parts = parts;
    this.#terms = terms;
  }

  pass(
    [tap, ...others]: readonly LiveTap[],
    messages: readonly Message[],
  ): readonly Message[] | Promise<readonly Message[]> {
    if (tap === undefined) return messages;
    const returned = this.#call(tap, messages);
    if (!isPromise(returned)) return this.pass(others, this.#accept(tap, returned, messages));
    return this.#wait(tap, returned).then((value) => this.pass(others, this.#accept(tap, value, messages)));
  }

  #call(tap: LiveTap, messages: readonly Message[]): unknown {
    const { fn, wantsPromise } = tap.registration;
    let returned: unknown;
    try {
      // Taps on the input are registered with a function of this type.
      returned = (fn as unknown as InputFunction)(Object.freeze([...messages]), this.#contextFor(tap));
    } catch (error) {
      throw refusal(tap, error);
    }
    if (wantsPromise && !isPromise(returned))
      throw badResult(tap, describeValue(returned), 'a promise, because it was registered with tapPromise');
    return returned;
  }

  async #wait(tap: LiveTap, pending: PromiseLike<unknown>): Promise<unknown> {
    const { plugin, hook } = tap.info;
    const { hookTimeoutMs } = this.#parts;
    const late = (): ShallotError =>
      new ShallotError('HOOK_TIMEOUT', {
        message: `The tap of ${plugin} on the input did not settle within ${hookTimeoutMs} ms. Make it faster, or raise hookTimeoutMs.`,
        plugin,
        hook,
      });
    const aborted = Promise.withResolvers<never>();
    const forget = onAbort(this.#terms.signal, (reason) => aborted.reject(abortion(reason)));
    try {
      return await inTime(Promise.race([pending, aborted.promise]), hookTimeoutMs, late);
    } catch (error) {
      throw refusal(tap, error);
    } finally {
      forget();
    }
  }

  #accept(tap: LiveTap, returned: unknown, given: readonly Message[]): readonly Message[] {
    if (returned === undefined || returned === given) return given;
    if (!Array.isArray(returned)) throw badResult(tap, describeValue(returned), 'messages, or nothing');
    const messages = toMessages(returned, this.#terms.newMessageId, tap.info.plugin);
    if (this.#terms.kind === 'answer' && !isSameShape(messages, given))
      throw badResult(tap, 'messages of another shape', 'for an answer as many text parts as it was given');
    return messages;
  }

  #contextFor(tap: LiveTap): InputContext {
    const { owner } = tap;
    const { kind, context, sessionId, signal } = this.#terms;
    const members: InputContext & { readonly __proto__: object } = {
      // Setting a prototype later would be slow, and each run makes such an object for each tap.
      __proto__: prototypeFor(tap),
      kind,
      sessionId,
      agent: this.#parts.name,
      context,
      signal,
      log: owner.log,
      keep: (key, entries) => {
        const state = this.#parts.host.states.find(
          (each) => each.owner.id === owner.id && each.key === key && each.scope === 'session',
        );
        if (state === undefined) throw undeclared(tap, key);
        const json = frozenJson(entries, `the entries for the state "${key}"`, owner.id);
        this.kept.push({ state, entries: json });
      },
    };
    return Object.freeze(members);
  }
}

const prototypes = new WeakMap<LiveTap, object>();

function prototypeFor(tap: LiveTap): object {
  const known = prototypes.get(tap);
  if (known !== undefined) return known;
  const made = unknownMembers(memberNames, 'the context of a tap on the input', tap.owner.id, instead);
  prototypes.set(tap, made);
  return made;
}

const memberNames: readonly (keyof InputContext)[] = [
  'kind',
  'sessionId',
  'agent',
  'context',
  'signal',
  'log',
  'keep',
];

/** Returns true if both lists have the same roles and part types in the same order. */
function isSameShape(a: readonly Message[], b: readonly Message[]): boolean {
  const shapeOf = (messages: readonly Message[]): string =>
    messages.map(({ role, content }) => `${role} ${content.map(({ type }) => type).join(' ')}`).join('\n');
  return shapeOf(a) === shapeOf(b);
}

const noQuestions = 'It cannot ask anybody: throw a ShallotError to refuse the input, or ask in beforeModel.';
const noRun = 'It knows no run: use a beforeAgent tap without input: true.';

/** Members of `Run` that the context of these taps lacks, with advice for each. */
const instead: Readonly<Record<string, string>> = {
  interrupt: noQuestions,
  ...Object.fromEntries(
    ['once', 'end', 'again', 'setInput', 'run', 'id', 'messages', 'newMessages', 'files'].map((member) => [
      member,
      noRun,
    ]),
  ),
};

function undeclared({ info: { plugin, hook } }: LiveTap, key: string): ShallotError {
  return new ShallotError('OPTION_INVALID', {
    message: `${plugin} kept entries for the state "${key}", which it has not declared with the scope "session". Declare it in setup.`,
    plugin,
    hook,
  });
}

function abortion(reason: unknown): ShallotError {
  const why = reason === undefined ? '' : `: ${messageOf(reason).replace(/\.$/, '')}`;
  return new ShallotError('RUN_ABORTED', { message: `The run was aborted${why}.`, cause: reason });
}

/** Returns the error of a tap, with its plugin and hook. */
function refusal({ info: { plugin, hook } }: LiveTap, thrown: unknown): ShallotError {
  const said = messageOf(thrown);
  if (isInterrupt(thrown)) {
    const message = `${plugin} asked a question in a tap on the input. ${noQuestions}`;
    return new ShallotError('INTERRUPT_NOT_ALLOWED', { message, plugin, hook, cause: thrown });
  }
  if (!isShallotError(thrown)) {
    const message = `The tap of ${plugin} on the input threw: ${said}`;
    return new ShallotError('PLUGIN_FAILED', { message, plugin, hook, cause: thrown });
  }
  if (thrown.code === 'RUN_ABORTED' || thrown.hook !== undefined) return thrown;
  const { code, transient, retryAt, at } = thrown;
  const message = thrown.plugin === plugin ? said : `The tap of ${plugin} on the input: ${said}`;
  return new ShallotError(code, { message, transient, retryAt, at, plugin, hook, cause: thrown });
}
