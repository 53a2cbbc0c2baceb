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
import type { OutputSchema } from '../../contract/model.ts';
import { toolName } from '../../contract/tool.ts';
import type { ActiveRun } from '../active-run.ts';
import { correct } from './correct.ts';

/** A schema for a run's answer, as the model and the check need it. @throws `OPTION_INVALID` */
export function outputOf(
  schema: AnySchema | undefined,
): { readonly schema: OutputSchema; readonly validate: Validate } | undefined {
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
 * Checks an answer against the schema that the run asks for. A wrong one is told to the model, once: the message to add
 * is returned. @throws `OUTPUT_INVALID` the second time, or when there is no further step
 */
export async function checkOutput(
  run: ActiveRun,
  message: AssistantMessage,
  isLast: boolean,
): Promise<Message | undefined> {
  if (run.output === undefined) return undefined;
  const checked = await check(run.output.validate, textOf(message));
  if (checked.ok) {
    run.verdict.accept(checked.value);
    return undefined;
  }
  const content = `The answer does not match the required schema:\n${checked.issues}\nAnswer again, with matching JSON and nothing else.`;
  return correct(run, { source: 'output', content, isLast }, (when) => {
    const text = `The answer does not match the output schema${when}:\n${checked.issues}`;
    return new ShallotError('OUTPUT_INVALID', { message: text });
  });
}

async function check(validate: Validate, text: string): Promise<Validated> {
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

/** Models like to put JSON in a Markdown fence. */
function withoutFence(text: string): string {
  return /^\s*```(?:json)?\s*\n([\s\S]*?)\n\s*```\s*$/.exec(text)?.[1] ?? text;
}
