import { describeValue } from '../../base/describe-value.ts';
import { freezeJson } from '../../base/json.ts';
import type { RunResult } from '../../contract/result.ts';
import { badResult } from '../../hooks/bad-result.ts';
import type { LiveTap } from '../../hooks/live-tap.ts';

/**
 * What an `afterAgent` tap makes of a result. It may change what the run gave, but not what the result is of, nor how that
 * came out. @throws `HOOK_RESULT`, `VALUE_NOT_JSON`, naming the plugin
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
  if (messages !== given.messages) freezeJson(messages, 'result.messages', tap.info.plugin);
  if (sources !== given.sources) freezeJson(sources, 'result.sources', tap.info.plugin);
  if (usage !== given.usage) freezeJson(usage, 'result.usage', tap.info.plugin);
  return Object.freeze({
    ...given,
    text,
    messages,
    sources,
    usage,
    steps,
    ...(output === undefined ? {} : { output }),
  });
}

const wanted = 'a run result: spread the one it received';

function memberFault(name: string, value: unknown, fits: boolean): string | undefined {
  return fits ? undefined : `a result whose ${name} is ${describeValue(value)}`;
}
