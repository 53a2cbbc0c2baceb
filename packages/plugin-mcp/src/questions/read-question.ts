import type { JsonObject } from '@shallot/core';
import { schemaCheck, visible } from '@shallot/core/plugin';

import { isJsonObject } from '../is-json-object.ts';
import type { ElicitQuestion } from './question.ts';

/** A question that can be put to a person, or why it cannot. */
export type ReadQuestion = { readonly question: ElicitQuestion } | { readonly refused: string };

const maxChars = 65_536;

/** Words for what nobody should type into a form of a server: the protocol forbids servers to ask for it so. */
const secret =
  /pass[-_ ]?(?:word|phrase|code)|passwd|secret|credential|private[-_ ]?key|(?:api|access|auth|bearer|refresh|session)[-_ ]?(?:key|token)|card[-_ ]?number|\b(?:cvv|cvc|pin)\b/i;

/** Reads the parameters of `elicitation/create`, which a server may have filled in as it likes. */
export function readQuestion(server: string, params: unknown): ReadQuestion {
  if (!isJsonObject(params)) return { refused: 'it is not an object' };
  if (JSON.stringify(params).length > maxChars)
    return { refused: `it is longer than ${maxChars} characters` };
  const { mode = 'form', message, url, requestedSchema } = params;
  if (typeof message !== 'string') return { refused: 'it has no message' };
  if (mode === 'url') {
    const parsed = typeof url === 'string' ? URL.parse(url) : null;
    // Anything else would be run, or opened, by whoever shows it.
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
  // The answer is one of several things, of which this is one: what the schema refers to is looked for from there.
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

/** `apiKey` as `api Key`. */
function spaced(key: string): string {
  return key.replaceAll(/([a-z])([A-Z])/g, '$1 $2');
}

function shown(value: unknown): string {
  return visible((JSON.stringify(value) ?? 'missing').slice(0, 200));
}
