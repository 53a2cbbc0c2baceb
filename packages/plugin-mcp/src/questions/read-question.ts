import type { JsonObject } from '@shallot/core';
import { schemaCheck, visible } from '@shallot/core/plugin';

import { isJsonObject } from '../is-json-object.ts';
import type { ElicitQuestion } from './question.ts';

/** A valid question, or the reason why it is refused. */
export type ReadQuestion = { readonly question: ElicitQuestion } | { readonly refused: string };

const maxChars = 65_536;

/** Matches names of secrets: the protocol forbids servers to request them through forms. */
const secret =
  /pass[-_ ]?(?:word|phrase|code)|passwd|secret|credential|private[-_ ]?key|(?:api|access|auth|bearer|refresh|session)[-_ ]?(?:key|token)|card[-_ ]?number|\b(?:cvv|cvc|pin)\b/i;

/** Validates the parameters of `elicitation/create`, which the server controls. */
export function readQuestion(server: string, params: unknown): ReadQuestion {
  if (!isJsonObject(params)) return { refused: 'it is not an object' };
  if (JSON.stringify(params).length > maxChars)
    return { refused: `it is longer than ${maxChars} characters` };
  const { mode = 'form', message, url, requestedSchema } = params;
  if (typeof message !== 'string') return { refused: 'it has no message' };
  if (mode === 'url') {
    const parsed = typeof url === 'string' ? URL.parse(url) : null;
    // Other URLs could run code or open local files.
    if (parsed === null || !/^https?:$/.test(parsed.protocol))
      return { refused: `its URL is ${shown(url)}, which is not one of http or https` };
    return { question: { server, message, mode, url: parsed.href } };
  }
  if (mode !== 'form') return { refused: `its mode is ${shown(mode)}` };
  if (!isJsonObject(requestedSchema)) return { refused: 'it has no schema' };
  const { type, properties } = requestedSchema;
  if (type !== 'object' || !isJsonObject(properties))
    return { refused: 'its schema is not that of an object' };
  const asked = secretIn(properties);
  if (asked !== undefined)
    return { refused: `its form asks for ${shown(asked)}, and secrets do not belong in a form` };
  // The answer schema nests this schema in `anyOf`, so its references are checked from there.
  const check = schemaCheck({ anyOf: [requestedSchema] });
  if (typeof check === 'string') return { refused: `its schema cannot be read: ${visible(check)}` };
  return { question: { server, message, mode, requestedSchema } };
}

function secretIn(properties: JsonObject): string | undefined {
  return Object.entries(properties).find(([key, member]) => {
    const { title, format } = isJsonObject(member) ? member : {};
    return (
      secret.test(spaced(key)) || (typeof title === 'string' && secret.test(title)) || format === 'password'
    );
  })?.[0];
}

/** Returns `api Key` for `apiKey`. */
function spaced(key: string): string {
  return key.replaceAll(/([a-z])([A-Z])/g, '$1 $2');
}

function shown(value: unknown): string {
  return visible((JSON.stringify(value) ?? 'missing').slice(0, 200));
}
