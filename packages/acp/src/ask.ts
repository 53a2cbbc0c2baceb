import type {
  AgentContext,
  CreateElicitationRequest,
  ElicitationSchema,
  PermissionOption,
  ToolCallContent,
} from '@agentclientprotocol/sdk';
import type { Interrupt, JsonObject, JsonValue } from '@shallot/core';
import { isJsonObject, textPart } from '@shallot/core/plugin';
import { approvalOf, type Approval } from '@shallot/core/work';

import { contentOf as contentOfPart } from './content-blocks.ts';
import type { KnownCall } from './tool-calls.ts';

/** The parts that are needed to ask in an editor. */
export interface Asker {
  readonly client: AgentContext;
  readonly sessionId: string;
  /** True if the editor shows forms. */
  readonly forms: boolean;
  readonly signal: AbortSignal;
  /** Returns the edits of a call as the editor shows them. */
  readonly diffs: (call: KnownCall) => readonly ToolCallContent[];
}

/** Asks a question in the editor. Returns the answer; undefined if there is none, so that the question stays open. */
export async function ask(interrupt: Interrupt, asker: Asker): Promise<JsonValue | undefined> {
  const approval = approvalOf(interrupt);
  try {
    if (approval !== undefined) return await askPermission(approval, asker);
    return asker.forms ? await askByForm(interrupt, asker) : undefined;
  } catch (error) {
    if (asker.signal.aborted) return undefined;
    throw error;
  }
}

/** The ways to answer a question for approval, by the ids of the options. */
const optionIds = {
  approve: 'allow',
  always: 'always',
  edit: 'edit',
  reject: 'reject',
  because: 'reject-because',
} as const;

async function askPermission(approval: Approval, asker: Asker): Promise<JsonValue | undefined> {
  const { client, sessionId, signal } = asker;
  const { call, always } = approval;
  const content = contentOf(approval, asker.diffs(call));
  const { outcome } = await client.request(
    'session/request_permission',
    {
      sessionId,
      toolCall: {
        toolCallId: call.id,
        title: call.title ?? call.name,
        rawInput: call.input,
        ...(call.kind !== undefined && { kind: call.kind }),
        ...(content.length > 0 && { content }),
      },
      options: optionsFor(approval, asker.forms),
    },
    { cancellationSignal: signal, stopWaitingOnCancel: true },
  );
  if (outcome.outcome !== 'selected') return undefined;
  switch (outcome.optionId) {
    case optionIds.approve:
      return { decision: 'approve' };
    case optionIds.always:
      return always?.rule === undefined
        ? { decision: 'approve' }
        : { decision: 'approve', always: { rule: always.rule, scope: 'session' } };
    case optionIds.edit:
      return askForEdit(approval, asker);
    case optionIds.reject:
      return { decision: 'reject' };
    case optionIds.because:
      return askForReason(asker);
    default:
      return undefined;
  }
}

function optionsFor({ decisions, always }: Approval, forms: boolean): PermissionOption[] {
  const options: PermissionOption[] = [];
  if (decisions.includes('approve')) {
    options.push({ optionId: optionIds.approve, name: 'Allow', kind: 'allow_once' });
    if (always?.rule !== undefined && always.scopes.includes('session'))
      options.push({
        optionId: optionIds.always,
        name: `Always allow in this session: ${always.rule}`,
        kind: 'allow_always',
      });
  }
  if (forms && decisions.includes('edit'))
    options.push({ optionId: optionIds.edit, name: 'Edit…', kind: 'allow_once' });
  if (decisions.includes('reject')) {
    options.push({ optionId: optionIds.reject, name: 'Reject', kind: 'reject_once' });
    if (forms)
      options.push({ optionId: optionIds.because, name: 'Reject with a reason…', kind: 'reject_once' });
  }
  return options;
}

/** Returns the content that a person has to see before deciding, beside the arguments. */
function contentOf(
  { description, changed, diff }: Approval,
  diffs: readonly ToolCallContent[],
): ToolCallContent[] {
  const texts = [
    description,
    changed === undefined
      ? undefined
      : `${changed.by} changed the call; before: ${changed.tool} ${changed.arguments}`,
    diff === undefined || diffs.length > 0 ? undefined : `\`\`\`diff\n${diff}\n\`\`\``,
  ].filter((text) => text !== undefined);
  return [...texts.map((text) => contentOfPart(textPart(text))), ...diffs];
}

async function askForEdit({ call }: Approval, asker: Asker): Promise<JsonValue | undefined> {
  const filled = await fillIn(asker, `The arguments of ${call.name}, as JSON`, {
    type: 'object',
    properties: {
      args: { type: 'string', title: 'Arguments', default: JSON.stringify(call.input, null, 2) },
    },
    required: ['args'],
  });
  return typeof filled?.['args'] === 'string'
    ? { decision: 'edit', args: jsonIn(filled['args']) }
    : undefined;
}

async function askForReason(asker: Asker): Promise<JsonValue | undefined> {
  const filled = await fillIn(asker, 'Why not? The model is told.', {
    type: 'object',
    properties: { reason: { type: 'string', title: 'Reason' } },
    required: ['reason'],
  });
  const reason = filled?.['reason'];
  return typeof reason === 'string' ? { decision: 'reject', reason } : undefined;
}

async function askByForm(
  { kind, payload, answerSchema }: Interrupt,
  asker: Asker,
): Promise<JsonValue | undefined> {
  const message = messageOf(kind, payload);
  const flat = flatForm(answerSchema);
  if (flat !== undefined) return fillIn(asker, message, flat);
  const single = singleField(answerSchema);
  const form = single && flatForm({ type: 'object', properties: { answer: single }, required: ['answer'] });
  if (form !== undefined) return (await fillIn(asker, message, form))?.['answer'];
  const filled = await fillIn(
    asker,
    `${message}\n\nThe answer, as JSON that matches ${JSON.stringify(answerSchema)}`,
    {
      type: 'object',
      properties: { answer: { type: 'string', title: 'Answer' } },
      required: ['answer'],
    },
  );
  return typeof filled?.['answer'] === 'string' ? jsonIn(filled['answer']) : undefined;
}

function messageOf(kind: string, payload: JsonValue): string {
  if (typeof payload === 'string') return payload;
  const said = isJsonObject(payload) && Object.keys(payload).length === 1 ? payload['message'] : undefined;
  return typeof said === 'string' ? said : `${kind}: ${JSON.stringify(payload, null, 2)}`;
}

async function fillIn(
  { client, sessionId, signal }: Asker,
  message: string,
  requestedSchema: ElicitationSchema,
): Promise<JsonObject | undefined> {
  const request: CreateElicitationRequest = { mode: 'form', sessionId, message, requestedSchema };
  const response = await client.request('elicitation/create', request, {
    cancellationSignal: signal,
    stopWaitingOnCancel: true,
  });
  // The values of a form are strings, numbers, booleans and lists of strings.
  return response.action === 'accept' ? ((response.content ?? {}) as JsonObject) : undefined;
}

/** Returns the schema of an answer as a form, if each member is a string, number or boolean; else undefined. */
function flatForm({ type, properties, required }: JsonObject): ElicitationSchema | undefined {
  if (type !== 'object' || typeof properties !== 'object' || properties === null) return undefined;
  const members = Object.entries(properties).map(([name, schema]) => [name, fieldOf(schema)] as const);
  if (members.length === 0 || members.some(([, field]) => field === undefined)) return undefined;
  // Each member is a field of one of these types.
  return {
    type: 'object',
    properties: Object.fromEntries(members),
    ...(Array.isArray(required) && { required }),
  } as ElicitationSchema;
}

const fieldTypes: ReadonlySet<unknown> = new Set(['string', 'number', 'integer', 'boolean']);

function fieldOf(schema: JsonValue): JsonObject | undefined {
  if (!isJsonObject(schema)) return undefined;
  const { type, enum: values } = schema;
  if (Array.isArray(values) && values.every((value) => typeof value === 'string'))
    return { ...schema, type: 'string' };
  return values === undefined && fieldTypes.has(type) ? schema : undefined;
}

/** Returns the schema of an answer as one field: a value, or a choice among strings. Undefined for any other schema. */
function singleField(schema: JsonObject): JsonObject | undefined {
  const own = fieldOf(schema);
  if (own !== undefined) return own;
  const { anyOf, title } = schema;
  const choices = Array.isArray(anyOf) ? anyOf.filter(isJsonObject) : [];
  const texts = choices.flatMap((choice) => (typeof choice['const'] === 'string' ? [choice['const']] : []));
  const isFree = choices.some(({ type }) => type === 'string');
  if (!isFree && texts.length === 0) return undefined;
  const rest = choices.filter(({ type, const: only }) => type !== 'string' && typeof only !== 'string');
  // Null is no choice of the form: a person declines instead, which leaves the question open. Other answers need JSON.
  if (rest.some(({ const: only }) => only !== null)) return undefined;
  return { type: 'string', ...(title !== undefined && { title }), ...(!isFree && { enum: texts }) };
}

/** Returns the JSON in a text; for anything else the text itself, which the check of the answer then refuses. */
function jsonIn(text: string): JsonValue {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    // The text is returned unchanged, and the check of the answer reports the problem.
    return text;
  }
}
