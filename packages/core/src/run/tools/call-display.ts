import { isObject } from '../../base/is-object.ts';
import { isPromise } from '../../base/is-promise.ts';
import type { JsonValue } from '../../base/json.ts';
import type { Validated } from '../../base/schema.ts';
import { messageOf } from '../../base/thrown.ts';
import type { ToolDisplay, ToolLocation } from '../../contract/tool-display.ts';
import type { Tool } from '../../contract/tool.ts';
import type { ActiveRun } from '../active-run.ts';
import { actsAs } from '../offered-tools.ts';
import type { CheckedCall } from './check-call.ts';

/** What clients are told of a call before its arguments are checked: a promise if they cannot be checked at once. */
export function displayOfCall(
  run: ActiveRun,
  tool: Tool,
  input: JsonValue,
): ToolDisplay | Promise<ToolDisplay> {
  if (tool.locations === undefined) return displayWith(run, tool, undefined);
  const show = (checked: Validated | undefined): ToolDisplay => displayWith(run, tool, checked);
  // Arguments that cannot be checked have no places; what is wrong is said when they are checked for the call.
  const showNone = (): ToolDisplay => show(undefined);
  try {
    const checked = tool.validate(input);
    return isPromise(checked) ? checked.then(show, showNone) : show(checked);
  } catch {
    // The check of the call comes to the same, and says so.
    return showNone();
  }
}

/** The same of a call whose arguments were checked. */
export function displayOfCheckedCall(run: ActiveRun, { tool, args }: CheckedCall): ToolDisplay {
  return displayWith(run, tool, { ok: true, value: args });
}

function displayWith(run: ActiveRun, tool: Tool, checked: Validated | undefined): ToolDisplay {
  const { title, kind, effect } = tool;
  const locations = checked?.ok === true ? locationsOf(run, tool, checked.value) : undefined;
  return Object.freeze({
    ...(title === undefined ? {} : { title }),
    ...(kind === undefined ? {} : { kind }),
    effect,
    ...(locations === undefined ? {} : { locations }),
  });
}

/** The places of a call, as far as they are known. A tool that fails to name them is no failure of the call. */
function locationsOf(run: ActiveRun, tool: Tool, args: unknown): readonly ToolLocation[] | undefined {
  if (tool.locations === undefined) return undefined;
  try {
    return copyOf(tool.locations(args));
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
