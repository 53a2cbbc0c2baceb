import { ShallotError } from '../base/errors.ts';
import { nearest } from '../base/nearest.ts';
import type { MergedConfig } from './merge-configs.ts';

/** Returns a warning if `settings.toolChoice` names a tool that the agent does not have. */
export function unknownChoice(
  { plain, plainMentions }: MergedConfig,
  tools: readonly string[],
): ShallotError[] {
  const choice = plain.settings?.toolChoice;
  if (typeof choice !== 'object' || tools.includes(choice.tool)) return [];
  const near = nearest(choice.tool, tools);
  const advice =
    near === undefined ? `The tools are: ${tools.join(', ') || 'none'}.` : `Did you mean "${near}"?`;
  return [
    new ShallotError('CONFIG_UNUSED', {
      message: `settings.toolChoice names the tool "${choice.tool}", which the agent does not have. ${advice}`,
      at: plainMentions['settings.toolChoice']?.locate(['tool']),
    }),
  ];
}
