import { ShallotError } from '../base/errors.ts';
import { frozenCopy } from '../base/json.ts';
import type { PlainAgentOptions } from '../contract/agent-options.ts';
import type { ProviderTool } from '../contract/model.ts';

/** Completes the entries of the option `providerTools`. @throws `OPTION_INVALID` for a tool that is listed twice */
export function toProviderTools(
  entries: NonNullable<PlainAgentOptions['providerTools']>,
): readonly ProviderTool[] {
  const tools = entries.map((entry): ProviderTool => {
    const { id, args = {} } = typeof entry === 'string' ? { id: entry } : entry;
    return { id, name: nameOf(id), args };
  });
  const twice = tools.find(({ id }, index) => tools.findIndex((each) => each.id === id) !== index);
  if (twice !== undefined) {
    throw new ShallotError('OPTION_INVALID', {
      message: `The option "providerTools" lists ${twice.id} twice. Remove one.`,
    });
  }
  return frozenCopy(tools);
}

/** Returns `web_search` for `anthropic.web_search_20250305`. */
function nameOf(id: string): string {
  return id.replace(/^[^.]*\./, '').replace(/_\d{8}$/, '');
}
