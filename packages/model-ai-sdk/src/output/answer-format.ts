import type { JsonObject } from '@shallot/core';
import type { OutputSchema } from '@shallot/core/model';

import type { CallOptions, LanguageModel } from '../sdk/language-model.ts';
import { isJsonObject, toJson } from '../sdk/metadata.ts';
import { closedSchema } from './closed-schema.ts';
import { outputDialect, type OutputDialect } from './output-dialect.ts';
import { refuseOtherRoots, withOwnRoot } from './root-schema.ts';
import { factsOfSchema, type SchemaFacts } from './schema-facts.ts';

type ProviderOptions = Readonly<Record<string, JsonObject>>;

/** How a model is asked for an answer in a given shape. */
export interface AnswerFormat {
  readonly responseFormat?: NonNullable<CallOptions['responseFormat']>;
  readonly options: ProviderOptions;
  /** What the instructions have to say, where no setting says it. */
  readonly words?: string;
}

/** A schema as it is looked at and sent: made once, however often it is asked for. */
interface ReadSchema {
  readonly schema: JsonObject;
  readonly closed: JsonObject | undefined;
  readonly facts: SchemaFacts;
}

const read = new WeakMap<JsonObject, ReadSchema>();

/**
 * How this model is asked for an answer that fits the schema. In strict mode the objects of the schema are closed; one that
 * strict mode cannot say is sent without it, and one that the provider refuses in words. The core checks the answer itself.
 * @throws `MODEL_BAD_REQUEST` for a root that is no object, where the provider takes objects only
 */
export function answerFormat(
  { name, schema: given }: OutputSchema,
  { model, hasTools }: { readonly model: LanguageModel; readonly hasTools: boolean },
  options: ProviderOptions = {},
): AnswerFormat {
  const { provider, modelId } = model;
  const dialect = outputDialect(provider, modelId);
  const { schema, closed, facts } = readSchema(given);
  if (dialect.objectsOnly) refuseOtherRoots(schema, provider.split('.', 1)[0] ?? provider);
  const { strict, asTool = [] } = dialect;
  const isStrict = strict !== undefined && (wantsStrict(strict, options) ?? true);
  const mustBeWords =
    takesNoSchema(model) ||
    dialect.refuses?.some((trait) => facts[trait]) === true ||
    (strict?.mode === 'always' && closed === undefined);
  if (mustBeWords) {
    const words = `Answer with JSON that fits this JSON Schema, and with nothing else:\n${JSON.stringify(schema)}`;
    // Some models take no calls of tools beside it.
    return { options, words, ...(dialect.jsonMode && !hasTools ? { responseFormat: { type: 'json' } } : {}) };
  }
  const format = (sent: JsonObject): NonNullable<AnswerFormat['responseFormat']> => ({
    type: 'json',
    schema: sent,
    name,
  });
  if (asTool.some((trait) => facts[trait])) {
    return { responseFormat: format(schema), options: withDefault(options, 'anthropic', asToolOption) };
  }
  if (isStrict && closed !== undefined) return { responseFormat: format(closed), options };
  const others = isStrict ? withoutStrict(strict, options, { name, schema }) : options;
  return { responseFormat: format(schema), options: others };
}

const asToolOption = { structuredOutputMode: 'jsonTool' };

function readSchema(given: JsonObject): ReadSchema {
  const known = read.get(given);
  if (known !== undefined) return known;
  // Members that are undefined are gone from JSON.
  const json = toJson(given);
  const schema = withOwnRoot(isJsonObject(json) ? json : given);
  const made = { schema, closed: closedSchema(schema), facts: factsOfSchema(schema) };
  read.set(given, made);
  return made;
}

/** What the settings say of strict mode, else what the package does by itself; undefined where it cannot be told. */
function wantsStrict(
  { mode, options: names }: NonNullable<OutputDialect['strict']>,
  options: ProviderOptions,
): boolean | undefined {
  const said = names.map((name) => options[name]?.['strictJsonSchema']).find((each) => each !== undefined);
  if (typeof said === 'boolean') return said;
  return mode === 'off' ? false : undefined;
}

/** The options that turn strict mode off. What the settings say of it stays. */
function withoutStrict(
  { mode, options: names }: NonNullable<OutputDialect['strict']>,
  options: ProviderOptions,
  { name, schema }: OutputSchema,
): ProviderOptions {
  if (mode === 'body') {
    const body = { type: 'json_schema', json_schema: { name, strict: false, schema } };
    return names.reduce((all, key) => withDefault(all, key, { response_format: body }), options);
  }
  return names.reduce((all, key) => withDefault(all, key, { strictJsonSchema: false }), options);
}

function withDefault(options: ProviderOptions, name: string, members: JsonObject): ProviderOptions {
  return { ...options, [name]: { ...members, ...options[name] } };
}

/** Whether the package of the model sends no schemas; those that can tell, tell by a member of their model. */
function takesNoSchema(model: LanguageModel): boolean {
  const { supportsStructuredOutputs, config } = model as LanguageModel & {
    readonly supportsStructuredOutputs?: unknown;
    readonly config?: unknown;
  };
  if (supportsStructuredOutputs !== undefined) return supportsStructuredOutputs === false;
  const inner: unknown = typeof config === 'object' && config !== null ? config : {};
  return (inner as { readonly supportsStructuredOutputs?: unknown }).supportsStructuredOutputs === false;
}
