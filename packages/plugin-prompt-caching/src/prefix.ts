import { createHash } from 'node:crypto';

import type { Tool } from '@shallot/core';
import type { ModelRequest } from '@shallot/core/model';

/** Digests of the beginning of a request. The provider's cache is valid while they stay the same. */
export interface Prefix {
  readonly step: number;
  /** Another model has a cache of its own. */
  readonly model: string;
  readonly instructions: string;
  readonly tools: Readonly<Record<string, string>>;
  /** Warnings given in this run. */
  readonly warned: readonly string[];
}

export function prefixOf(
  { model, instructions, tools = [] }: Pick<ModelRequest, 'model' | 'instructions' | 'tools'>,
  step: number,
  before: Prefix | null,
): Prefix {
  const now = {
    step,
    model: model.id,
    instructions: digest(instructions),
    tools: Object.fromEntries(tools.map((tool) => [tool.name, digestOf(tool)])),
  };
  const warned = before?.warned ?? [];
  const more = before === null ? [] : kindsOf(before, now).filter((kind) => !warned.includes(kind));
  return { ...now, warned: [...warned, ...more] };
}

/** Returns the changes, each as the beginning of a sentence, at most one of each kind per run. */
export function changesOf(before: Prefix, now: Prefix): readonly string[] {
  return now.warned.slice(before.warned.length).map((kind) => {
    if (kind === 'instructions') return 'The instructions changed';
    const names = [...new Set([...Object.keys(before.tools), ...Object.keys(now.tools)])].filter(
      (name) => before.tools[name] !== now.tools[name],
    );
    return `The tools changed${names.length === 0 ? ' their order' : ` (${names.slice(0, 5).join(', ')})`}`;
  });
}

function kindsOf(before: Prefix, now: Omit<Prefix, 'warned'>): readonly string[] {
  if (before.model !== now.model) return [];
  const isSame = JSON.stringify(before.tools) === JSON.stringify(now.tools);
  return [
    ...(before.instructions === now.instructions ? [] : ['instructions']),
    ...(isSame ? [] : ['tools']),
  ];
}

const digests = new WeakMap<Tool, string>();

function digestOf(tool: Tool): string {
  let known = digests.get(tool);
  if (known === undefined) {
    known = digest(JSON.stringify([tool.description, tool.inputSchema]));
    digests.set(tool, known);
  }
  return known;
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('base64url').slice(0, 16);
}
