import type { Tool } from '@shallot/core';
import { fitsPattern } from '@shallot/core/plugin';

import type { Settings } from './options.ts';

/** Returns a function that applies the options to a tool: hides it (undefined), describes it, or makes its result end the run. */
export function toolPresenter({
  hide,
  describe,
  returnDirectly,
}: Settings): (tool: Tool) => Tool | undefined {
  const descriptions = Object.entries(describe);
  // Cached, because a new object for each step would invalidate the provider's cache of the tools.
  const made = new WeakMap<Tool, { readonly shown: Tool | undefined }>();
  const make = (tool: Tool): Tool | undefined => {
    const { name } = tool;
    if (hide.some((pattern) => fitsPattern(pattern, name))) return undefined;
    const [, description = tool.description] =
      descriptions.find(([pattern]) => fitsPattern(pattern, name)) ?? [];
    const ends = tool.returnDirectly || returnDirectly.some((pattern) => fitsPattern(pattern, name));
    if (description === tool.description && ends === tool.returnDirectly) return tool;
    return Object.freeze({ ...tool, description, returnDirectly: ends });
  };
  return (tool) => {
    const known = made.get(tool) ?? { shown: make(tool) };
    made.set(tool, known);
    return known.shown;
  };
}
