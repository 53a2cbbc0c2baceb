import { messageOf } from '../../base/thrown.ts';

/**
 * Returns what is wrong with a text that is no JSON, in sentences without a place; undefined if it is JSON. `otherwise` is
 * the advice for faults that need none of their own.
 */
export function jsonFault(text: string, otherwise = 'Fix it there.'): string | undefined {
  try {
    JSON.parse(text);
    return undefined;
  } catch (error) {
    const reason = messageOf(error).replace(/ (?:in|after) JSON at position.*| \(line.*/, '');
    return `${reason}. ${hintOf(text) ?? otherwise}`;
  }
}

function hintOf(text: string): string | undefined {
  if (/^\s*(?:\/\/|\/\*|#)/m.test(text)) return 'JSON does not allow comments: remove them.';
  if (/,\s*[}\]]/.test(text)) return 'JSON does not allow a comma after the last element.';
  return undefined;
}
