import { isObject } from '../../base/is-object.ts';
import { isPromise } from '../../base/is-promise.ts';
import type { JsonValue } from '../../base/json.ts';
import { messageOf } from '../../base/thrown.ts';
import type { ToolDisplay, ToolLocation } from '../../contract/tool-display.ts';
import type { Tool } from '../../contract/tool.ts';
import type { ActiveRun } from '../active-run.ts';
import { actsAs } from '../offered-tools.ts';

/** What clients are told of a call before it is executed. */
export function displayOf(run: ActiveRun, tool: Tool, input: JsonValue): ToolDisplay {
  const { title, kind, effect } = tool;
  const locations = tool.locations === undefined ? undefined : locationsOf(run, tool, input);
  return Object.freeze({
    ...(title === undefined ? {} : { title }),
    ...(kind === undefined ? {} : { kind }),
    effect,
    ...(locations === undefined ? {} : { locations }),
  });
}

/** The places of a call, as far as they are known. A tool that fails to name them is no failure of the call. */
function locationsOf(run: ActiveRun, tool: Tool, input: JsonValue): readonly ToolLocation[] | undefined {
  try {
    const checked = tool.validate(input);
    if (isPromise(checked)) {
      checked.catch(() => {});
      return undefined;
    }
    return checked.ok ? copyOf(tool.locations?.(checked.value)) : undefined;
  } catch (error) {
    const message = `The locations of a call of ${tool.name} are unknown: ${messageOf(error)}`;
    run.warn('TOOL_LOCATIONS', message, actsAs(run, tool).id);
    return undefined;
  }
}

/** @throws for anything but a list of locations */
function copyOf(given: unknown): readonly ToolLocation[] {
  if (!Array.isArray(given)) throw new TypeError('locations must return a list: [{ path }]');
  return Object.freeze(
    given.map((each: unknown): ToolLocation => {
      const { path, line } = isObject(each) ? each : {};
      const isLine = line === undefined || (Number.isInteger(line) && Number(line) > 0);
      if (typeof path !== 'string' || !isLine)
        throw new TypeError('each location must be { path, line? }, with a string and a line number from 1');
      return Object.freeze(line === undefined ? { path } : { path, line: Number(line) });
    }),
  );
}
