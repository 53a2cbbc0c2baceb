import { join, relative, isAbsolute, sep } from 'node:path';

import type { JsonObject, JsonValue, ToolCall } from '@shallot/core';
import { foreignTools, isJsonObject, type ForeignTool, type ReadyAgent } from '@shallot/core/plugin';

/** A call in the words of the format. */
export interface ForeignCall {
  readonly tool_name: string;
  readonly tool_input: JsonValue;
}

/** Translates calls between the names and arguments of the tools here and those of the format. */
export class ToolWords {
  readonly #names: Readonly<Record<string, string>>;
  #serverOf: ReadyAgent['serverOf'] = () => undefined;

  /** `names` are the format's names for tools, by their names here, beyond the built-in ones. */
  constructor(names: Readonly<Record<string, string>>) {
    this.#names = names;
  }

  ready({ serverOf }: Pick<ReadyAgent, 'serverOf'>): void {
    this.#serverOf = serverOf;
  }

  /** Returns the format's name for a tool. */
  nameOf(tool: string): string {
    return this.#formOf(tool).name;
  }

  /** Returns a call in the words of the format. `root` is the directory of the run's files, if they are in one. */
  toForeign({ name, input }: Pick<ToolCall, 'name' | 'input'>, root: string | undefined): ForeignCall {
    const form = this.#formOf(name);
    if (!isJsonObject(input)) return { tool_name: form.name, tool_input: input };
    const entries = Object.entries(input).map(([key, value]): [string, JsonValue] => [
      form.keys?.[key] ?? key,
      isPathOf(form, key, value) ? onMachine(value, root) : value,
    ]);
    const isMany = form.name === 'Edit' && 'edits' in input;
    return { tool_name: isMany ? 'MultiEdit' : form.name, tool_input: Object.fromEntries(entries) };
  }

  /**
   * Returns arguments in the words of the tools here. @throws an error for a path outside of the root, which no tool of the
   * run may touch
   */
  fromForeign(name: string, input: JsonObject, root: string | undefined): JsonObject {
    const form = this.#formOf(name);
    const words = new Map(Object.entries(form.keys ?? {}).map(([here, foreign]) => [foreign, here]));
    return Object.fromEntries(
      Object.entries(input).map(([foreign, value]) => {
        const key = words.get(foreign) ?? foreign;
        return [key, isPathOf(form, key, value) ? inFiles(value, root) : value];
      }),
    );
  }

  #formOf(name: string): ForeignTool {
    const own = this.#names[name];
    if (own !== undefined) {
      const like = Object.values(foreignTools).find((form) => form.name === own);
      return { ...like, name: own };
    }
    const known = foreignTools[name];
    if (known !== undefined) return known;
    const there = this.#serverOf(name);
    return { name: there === undefined ? name : `mcp__${there.server}__${there.name}` };
  }
}

function isPathOf({ paths = [] }: ForeignTool, key: string, value: JsonValue): value is string {
  return paths.includes(key) && typeof value === 'string';
}

function onMachine(path: string, root: string | undefined): string {
  return root === undefined ? path : join(root, path);
}

function inFiles(path: string, root: string | undefined): string {
  if (root === undefined) return path;
  const inside = isAbsolute(path) ? relative(root, path) : path;
  if (isAbsolute(inside) || inside === '..' || inside.startsWith(`..${sep}`))
    throw new Error(`the hook changed the path to ${JSON.stringify(path)}, which is outside of ${root}`);
  return `/${inside.split(sep).join('/')}`;
}
