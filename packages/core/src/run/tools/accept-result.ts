import { describeValue } from '../../base/describe-value.ts';
import { frozenJson } from '../../base/json/frozen-json.ts';
import type { RunResult } from '../../contract/result.ts';
import { badResult } from '../../hooks/bad-result.ts';
import type { LiveTap } from '../../hooks/live-tap.ts';

/**
 * Validates the result that an `afterAgent` tap returns. The run's identity and outcome cannot be changed. @throws
 * `HOOK_RESULT`, `VALUE_NOT_JSON`, naming the plugin
 */
export function acceptResult(tap: LiveTap, returned: unknown, given: RunResult): RunResult {
  if (returned === undefined || returned === given) return given;
  if (typeof returned !== 'object' || returned === null || !('text' in returned)) {
    throw badResult(tap, describeValue(returned), wanted);
  }
  const { text, output, messages, sources, usage, steps } = { ...given, ...(returned as Partial<RunResult>) };
  const fault =
    memberFault('text', text, typeof text === 'string') ??
    memberFault('messages', messages, Array.isArray(messages)) ??
    memberFault('sources', sources, Array.isArray(sources)) ??
    memberFault('usage', usage, typeof usage === 'object' && usage !== null) ??
    memberFault('steps', steps, Number.isSafeInteger(steps));
  if (fault !== undefined) throw badResult(tap, fault, wanted);
  const { plugin } = tap.info;
  return Object.freeze({
    ...given,
    text,
    messages: messages === given.messages ? messages : frozenJson(messages, 'result.messages', plugin),
    sources: sources === given.sources ? sources : frozenJson(sources, 'result.sources', plugin),
    usage: usage === given.usage ? usage : frozenJson(usage, 'result.usage', plugin),
    steps,
    ...(output === undefined ? {} : { output }),
  });
}

const wanted = 'a run result: spread the one it received';

function memberFault(name: string, value: unknown, fits: boolean): string | undefined {
  return fits ? undefined : `a result whose ${name} is ${describeValue(value)}`;
}
