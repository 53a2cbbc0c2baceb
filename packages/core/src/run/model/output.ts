import { ShallotError } from '../../base/errors.ts';
import { readSchema } from '../../base/json-schema/read-schema.ts';
import {
  describedSchema,
  isStandardSchema,
  jsonSchemaOf,
  validatorOf,
  type AnySchema,
  type Validate,
  type Validated,
} from '../../base/schema.ts';
import { reasonOf } from '../../base/thrown.ts';
import { textOf, type AssistantMessage, type Message } from '../../contract/messages.ts';
import { toolName } from '../../contract/tool.ts';
import type { ModelTerms } from '../agent-parts.ts';
import type { RecordWriter } from '../record-writer.ts';
import { correct } from './correct.ts';

/** Returns an output schema with its validator; undefined without a schema. @throws `OPTION_INVALID` */
export function outputOf(schema: AnySchema | undefined): ModelTerms['output'] {
  if (schema === undefined) return undefined;
  const described = describedSchema(schema, 'the output', 'OPTION_INVALID');
  const json = jsonSchemaOf(described, 'the output', 'OPTION_INVALID');
  const isPlain = !isStandardSchema(described);
  const [fault] = isPlain ? readSchema(json).faults : [];
  if (fault !== undefined)
    throw new ShallotError('OPTION_INVALID', {
      message: `The schema of the output cannot be used: ${fault}.`,
    });
  const title = json['title'];
  const name = typeof title === 'string' && toolName.test(title) ? title : 'output';
  return { schema: { name, schema: json }, validate: validatorOf(isPlain ? json : described) };
}

/**
 * Validates an answer against the output schema of the run. Returns the message that asks the model to correct it, at
 * most once per run; undefined if it is valid, or there is no schema. @throws `OUTPUT_INVALID` the second time, or
 * without a further step
 */
export async function checkOutput(
  record: RecordWriter,
  output: ModelTerms['output'],
  message: AssistantMessage,
  isLast: boolean,
): Promise<Message | undefined> {
  if (output === undefined) return undefined;
  const checked = await readOutput(output.validate, textOf(message));
  if (checked.ok) {
    record.verdict.accept(checked.value);
    return undefined;
  }
  const content = `The answer does not match the required schema:\n${checked.issues}\nAnswer again, with matching JSON and nothing else.`;
  return correct(record, { source: 'output', content, isLast }, (when) => {
    const text = `The answer does not match the output schema${when}:\n${checked.issues}`;
    return new ShallotError('OUTPUT_INVALID', { message: text });
  });
}

/** Reads an answer as output. @throws `OUTPUT_INVALID` if the schema throws */
export async function readOutput(validate: Validate, text: string): Promise<Validated> {
  let value: unknown;
  try {
    value = JSON.parse(withoutFence(text));
  } catch (error) {
    return { ok: false, issues: `It is not JSON: ${error instanceof Error ? error.message : String(error)}` };
  }
  try {
    return await validate(value);
  } catch (error) {
    throw new ShallotError('OUTPUT_INVALID', {
      message: `The answer could not be checked, because the output schema threw: ${reasonOf(error)}.`,
      cause: error,
    });
  }
}

/** Removes the Markdown fence that models often put around JSON. */
function withoutFence(text: string): string {
  return /^\s*```(?:json)?\s*\n([\s\S]*?)\n\s*```\s*$/.exec(text)?.[1] ?? text;
}
