import { ShallotError } from '../base/errors.ts';
import { nearest } from '../base/nearest.ts';
import type { Tool } from '../contract/tool.ts';
import type { Logger } from '../log/logger.ts';
import { fitsPattern } from './fits-pattern.ts';

/** The source of tool names, for error messages. */
export interface ToolNaming {
  /** The plugin's name, which is the prefix of the error's code. */
  readonly plugin: string;
  /** The subject of the message, such as "The approval policy". */
  readonly what: string;
  readonly log: Logger;
}

/**
 * Checks tool names in options against the tools of the agent; `*` stands for any characters. A pattern that matches no
 * tool is only logged, because tools may be added later.
 * @throws `<plugin>/UNKNOWN_TOOL`
 */
export function checkToolPatterns(
  patterns: Iterable<string>,
  tools: readonly Tool[],
  { plugin, what, log }: ToolNaming,
): void {
  const names = tools.map(({ name }) => name);
  for (const pattern of patterns) {
    if (names.some((name) => fitsPattern(pattern, name))) continue;
    if (pattern.includes('*')) {
      if (pattern !== '*') log.warn({ pattern }, `${what} names "${pattern}", which fits no tool`);
      continue;
    }
    const near = nearest(pattern, names);
    const hint =
      near === undefined ? `The tools are: ${names.join(', ') || 'none'}.` : `Did you mean "${near}"?`;
    throw new ShallotError(`${plugin}/UNKNOWN_TOOL`, {
      message: `${what} names the tool "${pattern}", which does not exist. ${hint} For a tool that is added later, use a pattern such as "${pattern}*".`,
    });
  }
}
