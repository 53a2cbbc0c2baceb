import { ShallotError, type SourceLocation } from '../base/errors.ts';
import { nearest } from '../base/nearest.ts';
import type { ReadyAgent } from '../contract/plugin.ts';
import type { Logger } from '../log/logger.ts';
import { fitsPattern } from './fits-pattern.ts';

/** The source of tool names, for error messages. */
export interface ToolNaming {
  /** The plugin's name, which is the prefix of the error's code. */
  readonly plugin: string;
  /** The subject of the message, such as "The approval policy". */
  readonly what: string;
  readonly log: Logger;
  /** Returns the place of a name in a config. */
  readonly locate?: ((name: string) => SourceLocation | undefined) | undefined;
}

/**
 * Checks tool names in options against the tools of the agent; `*` stands for any characters. A name that no tool has is
 * refused; a pattern that matches no tool is only logged, because tools may be added later. Names and patterns of tools
 * that the provider executes are refused, because no plugin sees their calls; `*` alone is only logged.
 * @throws `<plugin>/UNKNOWN_TOOL`, `<plugin>/PROVIDER_TOOL`
 */
export function checkToolPatterns(
  patterns: Iterable<string>,
  { tools, providerTools }: Pick<ReadyAgent, 'tools' | 'providerTools'>,
  naming: ToolNaming,
): void {
  const { plugin, what, log, locate } = naming;
  const names = tools.map(({ name }) => name);
  for (const pattern of patterns) {
    refuseProviderTool(pattern, providerTools, naming);
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
      at: locate?.(pattern),
    });
  }
}

function refuseProviderTool(
  pattern: string,
  providerTools: ReadyAgent['providerTools'],
  { plugin, what, log, locate }: ToolNaming,
): void {
  const tool = providerTools.find(({ name }) => fitsPattern(pattern, name));
  if (tool === undefined) return;
  const why = `the provider executes ${tool.id} itself, and no plugin sees its calls`;
  if (pattern === '*')
    return log.warn(
      { code: `${plugin}/PROVIDER_TOOL`, pattern },
      `${what} does not apply to "${tool.name}": ${why}`,
    );
  const named = pattern === tool.name ? `"${pattern}"` : `"${pattern}", which fits "${tool.name}"`;
  throw new ShallotError(`${plugin}/PROVIDER_TOOL`, {
    message: `${what} names ${named}, but ${why}. Remove the name there, or ${tool.id} from "providerTools".`,
    at: locate?.(pattern),
  });
}
