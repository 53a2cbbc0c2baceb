import { describeValue } from '../../base/describe-value.ts';
import { isShallotError, ShallotError } from '../../base/errors.ts';
import { inTime } from '../../base/in-time.ts';
import { isPromise } from '../../base/is-promise.ts';
import { messageOf } from '../../base/thrown.ts';
import type { ResultContext, ResultFunction } from '../../contract/hooks.ts';
import { isInterrupt } from '../../contract/interrupt-signal.ts';
import { checkResult, errorResult, isToolResult } from '../../contract/tool-result.ts';
import type { ToolCall, ToolResult } from '../../contract/tool.ts';
import { badResult } from '../../hooks/bad-result.ts';
import type { Frame } from '../../hooks/frame.ts';
import type { LiveTap } from '../../hooks/live-tap.ts';
import type { RunParts } from '../run-parts.ts';

/**
 * Passes a result through the taps on results, inside out, before it is stored. Returns a promise only if a tap did. If
 * a tap fails, the result is withheld, because the tap may have been about to remove something from it.
 */
export function passResult(
  run: RunParts,
  call: ToolCall,
  result: ToolResult,
  frame: Frame,
): ToolResult | Promise<ToolResult> {
  return passTaps(run.terms.chains.results, { run, call, frame }, result);
}

interface Passing {
  readonly run: RunParts;
  readonly call: ToolCall;
  readonly frame: Frame;
}

function passTaps(
  [tap, ...others]: readonly LiveTap[],
  passing: Passing,
  result: ToolResult,
): ToolResult | Promise<ToolResult> {
  if (tap === undefined) return result;
  const passed = passTap(tap, passing, result);
  if (!isPromise(passed)) return passTaps(others, passing, passed);
  return passed.then((given) => passTaps(others, passing, given));
}

function passTap(tap: LiveTap, passing: Passing, result: ToolResult): ToolResult | Promise<ToolResult> {
  const { run, call, frame } = passing;
  const { fn, wantsPromise } = tap.registration;
  const accept = (returned: unknown): ToolResult => {
    if (returned === undefined || returned === result) return result;
    if (!isToolResult(returned)) throw badResult(tap, describeValue(returned), 'a tool result, or nothing');
    return checkResult(returned, call.name, tap.info.plugin);
  };
  const withhold = (error: unknown): ToolResult => withheld(tap, passing, result, error);
  try {
    // Taps on results are registered with a function of this type.
    const returned = (fn as unknown as ResultFunction)(result, call, contextFor(tap, passing));
    if (isPromise(returned)) return frame.wait(inHookTime(run, tap, returned).then(accept).catch(withhold));
    if (wantsPromise)
      throw badResult(tap, describeValue(returned), 'a promise, because it was registered with tapPromise');
    return accept(returned);
  } catch (error) {
    return withhold(error);
  }
}

function contextFor({ owner }: LiveTap, { run, frame }: Passing): ResultContext {
  return {
    run: run.plugins.viewFor(owner),
    get signal() {
      return frame.signal;
    },
  };
}

function inHookTime(run: RunParts, { info }: LiveTap, pending: PromiseLike<unknown>): Promise<unknown> {
  const { hookTimeoutMs } = run.terms.parts;
  const { plugin, hook } = info;
  const late = (): ShallotError =>
    new ShallotError('HOOK_TIMEOUT', {
      message: `The tap of ${plugin} on results did not settle within ${hookTimeoutMs} ms. Make it faster, or raise hookTimeoutMs.`,
      plugin,
      hook,
    });
  return inTime(Promise.resolve(pending), hookTimeoutMs, late);
}

/**
 * Returns the error result that replaces a withheld result. A refusal with the plugin's own error is not logged; other
 * errors are.
 */
function withheld(tap: LiveTap, { run, call }: Passing, result: ToolResult, error: unknown): ToolResult {
  const { plugin } = tap.info;
  const why = isInterrupt(error) ? 'it asked a question, which a tap on results cannot' : messageOf(error);
  const text = `The call of ${call.name} was answered, but ${plugin} withholds the result: ${why}`;
  if (!isShallotError(error) || error.plugin !== plugin || error.hook !== undefined) {
    run.signs.warn('RESULT_WITHHELD', text, plugin);
    tap.owner.log.error({ err: error, callId: call.id }, 'a tap on results failed; the result was withheld');
  }
  // Keep the tool's error: retry layers classify it.
  return errorResult(text, result.error);
}
