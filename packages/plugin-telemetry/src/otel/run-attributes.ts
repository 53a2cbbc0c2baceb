import type { RunInfo } from '@shallot/core';

import type { RunActivity } from '../observe/activity.ts';
import type { Attributes } from './span-attributes.ts';

/** The value of an attribute. */
export type AttributeValue = string | number | boolean | readonly string[];

/** Attributes by name. `user`, `session`, `tenant` and `tags` become the names that backends group by. */
export type NamedAttributes = Readonly<Record<string, AttributeValue | undefined>>;

/** Attributes for all runs, or a function that returns those of a run. */
export type AttributesOption = NamedAttributes | ((run: RunInfo) => NamedAttributes | undefined);

/**
 * The attributes that the names become, the general one first. `session.id` and `user.id` are names of OpenTelemetry that
 * Langfuse and Phoenix group by (https://langfuse.com/integrations/native/opentelemetry and
 * https://github.com/Arize-ai/openinference/blob/main/spec/semantic_conventions.md); for tags and metadata each has its own.
 */
const names = new Map<string, readonly string[]>([
  ['user', ['user.id']],
  ['session', ['session.id']],
  ['tenant', ['tenant.id', 'langfuse.trace.metadata.tenant']],
  ['tags', ['tag.tags', 'langfuse.trace.tags']],
]);
/** The attribute with JSON, in which Phoenix looks for everything else. */
const metadata = 'metadata';

interface Given {
  readonly attributes?: AttributesOption | undefined;
  /** The attributes that metrics also get. */
  readonly metricAttributes: readonly string[];
}

interface Surroundings {
  readonly redact: (text: string) => string;
  readonly lose: (error: unknown) => void;
}

interface Found {
  readonly spans: Attributes;
  readonly metrics: Attributes;
}

const nothing: Found = { spans: {}, metrics: {} };

/** The application's own attributes of each run, requested once, and only if they are recorded. */
export class RunAttributes {
  readonly #given: Given;
  readonly #surroundings: Surroundings;
  readonly #known = new WeakMap<RunActivity, Found>();

  constructor(given: Given, surroundings: Surroundings) {
    this.#given = given;
    this.#surroundings = surroundings;
  }

  of(run: RunActivity): Found {
    if (this.#given.attributes === undefined) return nothing;
    let found = this.#known.get(run);
    if (found === undefined) {
      found = this.#find(run.info, this.#given.attributes);
      this.#known.set(run, found);
    }
    return found;
  }

  #find(run: RunInfo, attributes: AttributesOption): Found {
    const { redact, lose } = this.#surroundings;
    const spans: Attributes = {};
    const metrics: Attributes = {};
    try {
      const named = typeof attributes === 'function' ? checked(attributes(run), lose) : attributes;
      for (const [name, given] of Object.entries(named ?? {})) {
        if (given === undefined) continue;
        const value = name === 'session' && given === true ? run.sessionId : clean(name, given, redact);
        const [general, ...others] = names.get(name) ?? [redact(name)];
        for (const each of [general, ...others]) if (each !== undefined) spans[each] = value;
        if (name === 'tenant') spans[metadata] = JSON.stringify({ tenant: value });
        if (general !== undefined && this.#given.metricAttributes.includes(name)) metrics[general] = value;
      }
    } catch (error) {
      lose(error);
    }
    return { spans, metrics };
  }
}

/** Checks the attributes that a function of the application returned, because it may return anything. */
function checked(
  named: NamedAttributes | undefined,
  lose: (error: unknown) => void,
): NamedAttributes | undefined {
  const returned: unknown = named;
  if (returned instanceof Promise) returned.catch(lose);
  else if (returned === undefined || (typeof returned === 'object' && returned !== null)) return named;
  const what = returned instanceof Promise ? 'promise' : typeof returned;
  throw new TypeError(`The function returned a ${what}. Return an object with the attributes by name.`);
}

/** Returns the value of an attribute if it is valid. A function of the application may return anything. */
function clean(
  name: string,
  value: unknown,
  redact: (text: string) => string,
): string | number | boolean | string[] {
  if (typeof value === 'string') return redact(value);
  if (typeof value === 'boolean' || (typeof value === 'number' && Number.isFinite(value))) return value;
  if (Array.isArray(value) && value.every((each) => typeof each === 'string')) return value.map(redact);
  throw new TypeError(
    `The attribute ${name} is ${value === null ? 'null' : `of type ${typeof value}`}. Return a string, a number, true, false or a list of strings.`,
  );
}
