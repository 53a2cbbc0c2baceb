import type { JsonObject } from '@shallot/core';
import type { OutputSchema } from '@shallot/core/model';

import type { CallOptions, LanguageModel } from '../sdk/language-model.ts';
import { isJsonObject, toJson } from '../sdk/metadata.ts';
import { openAiName } from '../sdk/provider-names.ts';
import { closedSchema } from './closed-schema.ts';
import { outputDialect, type OutputDialect } from './output-dialect.ts';
import { refuseOtherRoots, withOwnRoot } from './root-schema.ts';
import { factsOfSchema, type SchemaFacts } from './schema-facts.ts';

type ProviderOptions = Readonly<Record<string, JsonObject>>;

/** The settings that request a response in a given shape. */
export interface AnswerFormat {
  readonly responseFormat?: NonNullable<CallOptions['responseFormat']>;
  readonly options: ProviderOptions;
  /** Text to add to the instructions if no setting expresses the schema. */
  readonly words?: string;
}

/** A schema with its derived data, cached per schema. */
interface ReadSchema {
  readonly schema: JsonObject;
  readonly closed: JsonObject | undefined;
  readonly facts: SchemaFacts;
}

const read = new WeakMap<JsonObject, ReadSchema>();

/**
 * Returns the settings that request a response by a schema. In strict mode its objects are closed; a schema that strict
 * mode cannot express is sent without it, and one that the provider rejects is sent as text. The core validates the
 * response anyway. @throws `MODEL_BAD_REQUEST` if the provider requires an object at the root
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
  const { asTool = [] } = dialect;
  const strict = dialect.strict && readBy(provider, dialect.strict, options);
  const isStrict = strict !== undefined && (wantsStrict(strict, options) ?? true);
  const mustBeWords =
    takesNoSchema(model) ||
    dialect.refuses?.some((trait) => facts[trait]) === true ||
    (strict?.mode === 'always' && closed === undefined);
  if (mustBeWords) {
    const words = `Answer with JSON that fits this JSON Schema, and with nothing else:\n${JSON.stringify(schema)}`;
    // Some models reject JSON mode together with tools.
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

/** Returns the strict setting under the name that the package reads. */
function readBy(
  provider: string,
  strict: NonNullable<OutputDialect['strict']>,
  options: ProviderOptions,
): NonNullable<OutputDialect['strict']> {
  return {
    ...strict,
    options: strict.options.map((name) => (name === 'openai' ? openAiName(provider, options) : name)),
  };
}

const asToolOption = { structuredOutputMode: 'jsonTool' };

function readSchema(given: JsonObject): ReadSchema {
  const known = read.get(given);
  if (known !== undefined) return known;
  // Removes undefined members.
  const json = toJson(given);
  const schema = withOwnRoot(isJsonObject(json) ? json : given);
  const made = { schema, closed: closedSchema(schema), facts: factsOfSchema(schema) };
  read.set(given, made);
  return made;
}

/** Returns the strict mode of the settings, else the package's default; undefined if it is unknown. */
function wantsStrict(
  { mode, options: names }: NonNullable<OutputDialect['strict']>,
  options: ProviderOptions,
): boolean | undefined {
  const said = names.map((name) => options[name]?.['strictJsonSchema']).find((each) => each !== undefined);
  if (typeof said === 'boolean') return said;
  return mode === 'off' ? false : undefined;
}

/** Returns options that turn strict mode off, unless the settings define it. */
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

/** Returns true if a package supports no schemas, which some report through a member of the model. */
function takesNoSchema(model: LanguageModel): boolean {
  const { supportsStructuredOutputs, config } = model as LanguageModel & {
    readonly supportsStructuredOutputs?: unknown;
    readonly config?: unknown;
  };
  if (supportsStructuredOutputs !== undefined) return supportsStructuredOutputs === false;
  const inner: unknown = typeof config === 'object' && config !== null ? config : {};
  return (inner as { readonly supportsStructuredOutputs?: unknown }).supportsStructuredOutputs === false;
}
