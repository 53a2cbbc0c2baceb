import assert from 'node:assert/strict';

/** JSON as the checks below read it. The checks follow the conventions' JSON Schemas for messages. */
type Json = Readonly<Record<string, unknown>>;
type CheckPart = (part: Json) => void;

const isText = (value: unknown): value is string => typeof value === 'string';
const isOptionalText = (value: unknown): boolean => value === undefined || value === null || isText(value);

function checkFile(part: Json): void {
  assert.ok(isText(part['modality']), 'a file has no modality');
  assert.ok(isOptionalText(part['mime_type']), 'the mime_type of a file is not text');
  const size = part['byte_size'];
  assert.ok(size === undefined || (Number.isInteger(size) && Number(size) >= 0), 'a byte_size is no size');
}

const parts: Readonly<Record<string, CheckPart>> = {
  text: (part) => assert.ok(isText(part['content']), 'a text part has no content'),
  reasoning: (part) => assert.ok(isText(part['content']), 'a reasoning part has no content'),
  tool_call: (part) => {
    assert.ok(isText(part['name']), 'a tool_call has no name');
    assert.ok(isOptionalText(part['id']), 'the id of a tool_call is not text');
  },
  tool_call_response: (part) => {
    assert.ok('response' in part, 'a tool_call_response has no response');
    assert.ok(isOptionalText(part['id']), 'the id of a tool_call_response is not text');
  },
  blob: (part) => {
    checkFile(part);
    assert.ok(isText(part['content']), 'a blob has no content');
  },
  uri: (part) => {
    checkFile(part);
    assert.ok(isText(part['uri']), 'a uri part has no uri');
  },
};

function checkPart(part: unknown): void {
  const { type } = asObject(part);
  assert.ok(isText(type), 'a part has no type');
  const check = parts[type];
  assert.ok(check !== undefined, `a part has the type ${type}, which the conventions do not name`);
  check(asObject(part));
}

function checkMessage(message: unknown): void {
  const { role, parts: content } = asObject(message);
  assert.ok(
    isText(role) && ['system', 'user', 'assistant', 'tool'].includes(role),
    `a role is ${String(role)}`,
  );
  asArray(content).forEach(checkPart);
}

/** Checks `gen_ai.input.messages`: a list of messages with a role and parts. */
export function checkInputMessages(json: unknown): void {
  asArray(json).forEach(checkMessage);
}

/** Checks `gen_ai.output.messages`: messages like those of the input, each with a finish reason. */
export function checkOutputMessages(json: unknown): void {
  for (const message of asArray(json)) {
    checkMessage(message);
    const reason = asObject(message)['finish_reason'];
    const known = ['stop', 'length', 'content_filter', 'tool_call', 'error', 'other'];
    assert.ok(isText(reason) && known.includes(reason), `a finish_reason is ${String(reason)}`);
  }
}

/** Checks `gen_ai.system_instructions`: a list of parts. */
export function checkSystemInstructions(json: unknown): void {
  asArray(json).forEach(checkPart);
}

/** Checks `gen_ai.tool.definitions`: functions with a name, whose parameters are a JSON Schema. */
export function checkToolDefinitions(json: unknown): void {
  for (const tool of asArray(json).map(asObject)) {
    assert.equal(tool['type'], 'function');
    assert.ok(isText(tool['name']), 'a tool has no name');
    assert.ok(isOptionalText(tool['description']), 'a description is not text');
    asObject(tool['parameters']);
  }
}

function asObject(value: unknown): Json {
  assert.ok(typeof value === 'object' && value !== null && !Array.isArray(value), 'it is not an object');
  // The assertion has just checked that this is an object.
  return value as Json;
}

function asArray(value: unknown): readonly unknown[] {
  assert.ok(Array.isArray(value), 'it is not a list');
  return value;
}
