import { isJsonObject, type JsonObject, type JsonValue } from '../base/json.ts';

/** The facts that a provider reports beside an answer. */
export interface ResponseFacts {
  /** The provider's id of the response. */
  readonly id?: string;
  /** The exact name of the model that answered. */
  readonly model?: string;
  /** The tier that the request was served in, such as `default`, `flex` or `priority`. */
  readonly serviceTier?: string;
  /** The limits of the account at that moment, by what they count: `requests`, `tokens`, `inputTokens`, `outputTokens`. */
  readonly rateLimits?: Readonly<Record<string, RateLimit>>;
}

/** A limit of an account. */
export interface RateLimit {
  readonly limit?: number;
  readonly remaining?: number;
  /** When all of it is available again, in milliseconds since 1970. */
  readonly resetsAt?: number;
}

/** The maximum length of an id or a name; a longer value is left out. */
const longest = 200;

/** Returns the facts in the metadata of a response; undefined if there are none. Anything else in it is left out. */
export function responseFacts(metadata: JsonObject | undefined): ResponseFacts | undefined {
  if (metadata === undefined) return undefined;
  const facts: { -readonly [K in keyof ResponseFacts]: ResponseFacts[K] } = {};
  for (const name of ['id', 'model', 'serviceTier'] as const) {
    const value = metadata[name];
    if (typeof value === 'string' && value !== '' && value.length <= longest) facts[name] = value;
  }
  const limits = rateLimitsIn(metadata['rateLimits']);
  if (limits.length > 0) facts.rateLimits = Object.freeze(Object.fromEntries(limits));
  return Object.keys(facts).length === 0 ? undefined : Object.freeze(facts);
}

function rateLimitsIn(value: JsonValue | undefined): readonly (readonly [string, RateLimit])[] {
  if (!isJsonObject(value)) return [];
  return Object.entries(value)
    .slice(0, 10)
    .flatMap(([of, given]) => {
      if (!isJsonObject(given)) return [];
      const numbers = (['limit', 'remaining', 'resetsAt'] as const).flatMap((name) =>
        typeof given[name] === 'number' ? [[name, given[name]] as const] : [],
      );
      return numbers.length === 0 ? [] : [[of, Object.freeze(Object.fromEntries(numbers))] as const];
    });
}
