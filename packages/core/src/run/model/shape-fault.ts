import { describeValue } from '../../base/describe-value.ts';
import { isObject } from '../../base/is-object.ts';
import type { ModelRequest } from '../../contract/model.ts';

type Member = keyof ModelRequest;
type Shape = readonly [isValid: (value: unknown) => boolean, wanted: string];

/** The members whose shape is checked here. Messages, tools and metadata are also checked where they are completed. */
const shapes: Readonly<Record<Exclude<Member, 'cache' | 'metadata'>, Shape>> = {
  model: [isModel, 'a model'],
  instructions: [isString, 'a string'],
  messages: [Array.isArray, 'a list of messages'],
  settings: [isObject, 'an object'],
  tools: [optional(Array.isArray), 'a list of tools'],
  providerTools: [
    optional((value) => Array.isArray(value) && value.every(isProviderTool)),
    'a list of tools of the provider, each with id, name and args',
  ],
  toolChoice: [optional(isChoice), "'auto', 'none', 'required' or { tool: name }"],
  output: [
    optional((value) => isObject(value) && isString(value['name']) && isObject(value['schema'])),
    'a name and a schema',
  ],
};

const checks = Object.entries(shapes);

/** The description of an invalid member of a request, and of a valid value for it. */
export interface ShapeFault {
  readonly received: string;
  readonly wanted: string;
}

/** Returns the first changed member with an invalid shape; undefined if there is none. */
export function shapeFault(passed: object, given: ModelRequest): ShapeFault | undefined {
  for (const [member, [isValid, wanted]] of checks) {
    const value: unknown = Reflect.get(passed, member);
    if (value === Reflect.get(given, member) || isValid(value)) continue;
    return {
      received: `a request whose ${member} is ${describeValue(value)}`,
      wanted: `${wanted} as ${member}`,
    };
  }
  return undefined;
}

function optional(isValid: (value: unknown) => boolean): (value: unknown) => boolean {
  return (value) => value === undefined || isValid(value);
}

function isString(value: unknown): value is string {
  return typeof value === 'string';
}

function isModel(value: unknown): boolean {
  return isObject(value) && typeof value['generate'] === 'function';
}

function isProviderTool(value: unknown): boolean {
  return isObject(value) && isString(value['id']) && isString(value['name']) && isObject(value['args']);
}

function isChoice(value: unknown): boolean {
  if (isObject(value)) return isString(value['tool']);
  return value === 'auto' || value === 'none' || value === 'required';
}
