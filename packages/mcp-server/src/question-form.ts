import type { ElicitRequestFormParams } from '@modelcontextprotocol/server';
import type { Interrupt, JsonObject, JsonValue } from '@shallot/core';
import { isJsonObject } from '@shallot/core/plugin';
import { approvalOf, type Approval } from '@shallot/core/work';

import { parseJson } from './parse-json.ts';

/** The reply to a form, as an elicitation gives it. */
export interface FormReply {
  readonly action: 'accept' | 'decline' | 'cancel';
  readonly content?: JsonObject | undefined;
}

/** A question as a form, which can hold strings, numbers and booleans only. */
export interface QuestionForm {
  readonly message: string;
  readonly schema: ElicitRequestFormParams['requestedSchema'];
  /** Returns the answer; undefined if the reply leaves the question open. */
  readonly answer: (reply: FormReply) => JsonValue | undefined;
}

type ReadContent = (content: JsonObject) => JsonValue | undefined;

/** Returns the form of a question. */
export function formOf(interrupt: Interrupt): QuestionForm {
  const approval = approvalOf(interrupt);
  return approval === undefined ? formOfSchema(interrupt) : formOfApproval(approval);
}

function form(
  message: string,
  [properties, required]: readonly [JsonObject, readonly string[]],
  read: ReadContent,
  declined?: JsonValue,
): QuestionForm {
  return {
    message,
    // Each property is a field that forms have.
    schema: { type: 'object', properties, required } as QuestionForm['schema'],
    answer: ({ action, content = {} }) => {
      if (action === 'accept') return read(content);
      return action === 'decline' ? declined : undefined;
    },
  };
}

/** Returns the form of an approval. Declining it rejects the call, if that is a choice; cancelling leaves the question open. */
function formOfApproval(approval: Approval): QuestionForm {
  const { decisions, call } = approval;
  const has = (decision: Approval['decisions'][number]): boolean => decisions.includes(decision);
  const properties: JsonObject = {
    decision: { type: 'string', title: 'Decision', enum: [...decisions] },
    ...(has('edit') && {
      arguments: {
        type: 'string',
        title: 'With edit: the arguments, as JSON',
        default: JSON.stringify(call.input),
      },
    }),
    ...(has('reject') && { reason: { type: 'string', title: 'With reject: the reason' } }),
    ...(has('respond') && { response: { type: 'string', title: 'With respond: the result of the call' } }),
  };
  const read: ReadContent = ({ decision, arguments: args, reason, response }) => {
    switch (decision) {
      case 'edit':
        return { decision, args: jsonIn(args) };
      case 'reject':
        return typeof reason === 'string' && reason !== '' ? { decision, reason } : { decision };
      case 'respond':
        return { decision, content: typeof response === 'string' ? response : '' };
      default:
        return { decision: decision ?? null };
    }
  };
  return form(
    describeCall(approval),
    [properties, ['decision']],
    read,
    has('reject') ? { decision: 'reject' } : undefined,
  );
}

function describeCall(approval: Approval): string {
  const { call, description, changed, diff, arguments: args = JSON.stringify(call.input) } = approval;
  const lines = [
    `May ${call.title ?? call.name} be executed?`,
    `${call.name} ${args}`,
    description,
    changed === undefined
      ? undefined
      : `${changed.by} changed the call; before: ${changed.tool} ${changed.arguments}`,
    diff,
  ];
  return lines.filter((line) => line !== undefined).join('\n\n');
}

function formOfSchema({ kind, payload, answerSchema }: Interrupt): QuestionForm {
  const message = messageIn(payload) ?? `${kind}: ${JSON.stringify(payload, null, 2)}`;
  const { anyOf } = answerSchema;
  const choices = (Array.isArray(anyOf) ? anyOf : []).filter(isJsonObject);
  const declined = choices.map((choice) => choice['const']).find(isRefusal);
  const flat = flatFields(declined === undefined ? answerSchema : choices[0]);
  if (flat !== undefined) return form(message, flat, (content) => content, declined);
  const field = fieldOf(answerSchema) ?? fieldOfChoices(choices);
  if (field !== undefined) {
    const single: JsonObject = { answer: { title: 'Answer', ...field } };
    return form(message, [single, ['answer']], ({ answer }) => answer, declined);
  }
  const schema = JSON.stringify(answerSchema);
  const json: JsonObject = { answer: { type: 'string', title: 'Answer, as JSON' } };
  return form(
    `${message}\n\nThe answer is JSON that matches ${schema}`,
    [json, ['answer']],
    ({ answer }) => jsonIn(answer),
    declined,
  );
}

/** Returns true for a refusal: of the user's own question, or of a form of another server. */
function isRefusal(value: JsonValue | undefined): value is null | 'decline' {
  return value === null || value === 'decline';
}

/**
 * Returns a choice between strings as a field, or a free text if the choice allows an answer in one's own words; undefined
 * for other choices. Refusals are left out.
 */
function fieldOfChoices(choices: readonly JsonObject[]): JsonObject | undefined {
  const offered = choices.filter((choice) => !isRefusal(choice['const']));
  const texts = offered.flatMap(({ const: text }) => (typeof text === 'string' ? [text] : []));
  const hasOwnWords = offered.some(({ const: text, type }) => text === undefined && type === 'string');
  if (offered.length === 0 || offered.length !== texts.length + Number(hasOwnWords)) return undefined;
  return hasOwnWords ? { type: 'string' } : { type: 'string', enum: texts };
}

function messageIn(payload: JsonValue): string | undefined {
  if (typeof payload === 'string') return payload;
  const message = isJsonObject(payload) ? payload['message'] : undefined;
  return typeof message === 'string' ? message : undefined;
}

/**
 * Returns the fields of an object whose members are strings, numbers and booleans, and those required; undefined for any
 * other schema.
 */
function flatFields(schema: JsonObject | undefined): readonly [JsonObject, readonly string[]] | undefined {
  if (schema === undefined) return undefined;
  const { type, properties, required } = schema;
  if (type !== 'object' || !isJsonObject(properties)) return undefined;
  const fields = Object.entries(properties).map(([name, member]) => [name, fieldOf(member)] as const);
  if (fields.length === 0) return undefined;
  const known: Record<string, JsonValue> = {};
  for (const [name, field] of fields) {
    if (field === undefined) return undefined;
    known[name] = field;
  }
  return [
    known,
    Array.isArray(required) ? required.filter((each): each is string => typeof each === 'string') : [],
  ];
}

const fieldTypes: ReadonlySet<unknown> = new Set(['string', 'number', 'integer', 'boolean']);

function fieldOf(schema: JsonValue): JsonObject | undefined {
  if (!isJsonObject(schema)) return undefined;
  const { type, enum: values, title, description, default: preset } = schema;
  const shown = {
    ...(typeof title === 'string' && { title }),
    ...(typeof description === 'string' && { description }),
  };
  if (Array.isArray(values))
    return values.every((value) => typeof value === 'string')
      ? { ...shown, type: 'string', enum: values }
      : undefined;
  if (typeof type !== 'string' || !fieldTypes.has(type)) return undefined;
  const { minLength, maxLength, minimum, maximum } = schema;
  const limits = { minLength, maxLength, minimum, maximum, default: preset };
  return {
    ...shown,
    type,
    ...Object.fromEntries(Object.entries(limits).filter(([, value]) => value !== undefined)),
  };
}

/** Returns the JSON in a text; for anything else the text itself, which the check of the answer then refuses. */
function jsonIn(value: unknown): JsonValue {
  const text = typeof value === 'string' ? value : '';
  try {
    return parseJson<JsonValue>(text);
  } catch {
    // The text is returned unchanged, and the check of the answer reports the problem.
    return text;
  }
}
