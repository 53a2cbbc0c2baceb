import { messageOf } from '../../base/thrown.ts';

/**
 * Returns the fault of a text that is not JSON, in sentences without a location; undefined for JSON. `otherwise` is the
 * advice for faults that need no specific advice.
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
