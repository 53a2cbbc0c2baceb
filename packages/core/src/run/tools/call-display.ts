import { isObject } from '../../base/is-object.ts';
import { isPromise } from '../../base/is-promise.ts';
import type { JsonValue } from '../../base/json.ts';
import type { Validated } from '../../base/schema.ts';
import { messageOf } from '../../base/thrown.ts';
import type { ToolDisplay, ToolLocation } from '../../contract/tool-display.ts';
import type { Tool } from '../../contract/tool.ts';
import { belowRoot } from '../../files/rooted-path.ts';
import { ownerOfTool } from '../offered-tools.ts';
import type { RunParts } from '../run-parts.ts';
import type { CheckedCall } from './check-call.ts';

/**
 * Returns data about a call for clients before its arguments are validated for execution. Returns a promise only if the
 * validator does.
 */
export function displayOfCall(
  run: RunParts,
  tool: Tool,
  input: JsonValue,
): ToolDisplay | Promise<ToolDisplay> {
  if (tool.locations === undefined) return displayWith(run, tool, undefined);
  const show = (checked: Validated | undefined): ToolDisplay => displayWith(run, tool, checked);
  // Invalid arguments have no locations. The error is reported when the call is validated for execution.
  const showNone = (): ToolDisplay => show(undefined);
  try {
    const checked = tool.validate(input);
    return isPromise(checked) ? checked.then(show, showNone) : show(checked);
  } catch {
    // The validation before the execution throws the same error, which is reported there.
    return showNone();
  }
}

/** Returns the same data for a call whose arguments were validated. */
export function displayOfCheckedCall(run: RunParts, { tool, args }: CheckedCall): ToolDisplay {
  return displayWith(run, tool, { ok: true, value: args });
}

function displayWith(run: RunParts, tool: Tool, checked: Validated | undefined): ToolDisplay {
  const { title, kind, effect } = tool;
  const locations = checked?.ok === true ? locationsOf(run, tool, checked.value) : undefined;
  return Object.freeze({
    ...(title === undefined ? {} : { title }),
    ...(kind === undefined ? {} : { kind }),
    effect,
    ...(locations === undefined ? {} : { locations }),
  });
}

/** Returns the known locations that a call touches. An error in `tool.locations` becomes a warning. */
function locationsOf(run: RunParts, tool: Tool, args: unknown): readonly ToolLocation[] | undefined {
  if (tool.locations === undefined) return undefined;
  try {
    return copyOf(tool.locations(args), run.plugins.ownView.files.root);
  } catch (error) {
    const message = `The locations of a call of ${tool.name} are unknown: ${messageOf(error)}`;
    run.signs.warn('TOOL_LOCATIONS', message, ownerOfTool(run.plugins, tool).id);
    return undefined;
  }
}

/**
 * Returns a frozen copy of the locations; paths of this machine below the root become paths relative to it. @throws a
 * TypeError for anything but a list of locations
 */
function copyOf(given: unknown, root: string | undefined): readonly ToolLocation[] {
  if (!Array.isArray(given)) throw new TypeError('locations must return a list: [{ path }]');
  return Object.freeze(
    given.map((each: unknown): ToolLocation => {
      const { path: named, line } = isObject(each) ? each : {};
      const path = typeof named === 'string' ? (belowRoot(named, root) ?? named) : undefined;
      const isLine = line === undefined || (Number.isInteger(line) && Number(line) > 0);
      if (path === undefined || !isLine)
        throw new TypeError('each location must be { path, line? }, with a string and a line number from 1');
      return Object.freeze(line === undefined ? { path } : { path, line: Number(line) });
    }),
  );
}
