import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';

import { isShallotError, defineTool, memoryStore } from '@shallot/core';
import { createRedactor, messageOf } from '@shallot/core/plugin';

import { collectEvents } from '../collect-events.ts';
import type { ConformanceCheck } from '../conformance.ts';
import { isObject } from '../is-object.ts';
import { echoingModel, type AgentParts, type PluginSubject } from '../plugin-suite.ts';
import { scriptedModel } from '../scripted-model.ts';
import { optionsJson } from './options-json.ts';

/** An environment variable that is set while the suite looks for secrets. */
const variable = 'CONFORMANCE_API_KEY';
const sessionId = 'conformance';

/** Returns checks that no secret of the options leaves them. */
export function secretChecks(subject: PluginSubject): ConformanceCheck[] {
  return [{ name: 'shows no secret in events, state and errors', run: () => showsNoSecret(subject) }];
}

async function showsNoSecret(subject: PluginSubject): Promise<void> {
  const before = process.env[variable];
  const planted = `conformance-${randomUUID()}`;
  process.env[variable] = planted;
  const secrets = new Map([...secretOptions(subject), [`the environment variable ${variable}`, planted]]);
  try {
    for (const { where, text } of [...(await textsOfRuns(subject)), ...(await textsOfRefusals(subject))]) {
      for (const [what, secret] of secrets) {
        assert.ok(
          !text.includes(secret),
          `${what} is in ${where}; leave it out, or pass what you show through the redactor of setup`,
        );
      }
    }
  } finally {
    if (before === undefined) Reflect.deleteProperty(process.env, variable);
    else process.env[variable] = before;
  }
}

/** Returns the options that are secrets by their names, by their schema, or because the suite names them. */
function secretOptions({ definition, options, secrets }: PluginSubject): Map<string, string> {
  const schema = definition.options && optionsJson(definition.options);
  const found = new Map(secrets.map((secret, index) => [`secrets[${index}] of the suite`, secret]));
  for (const [path, value] of stringsIn(options, schema)) found.set(`the option ${path}`, value);
  return found;
}

function stringsIn(
  value: unknown,
  schema: unknown,
  path = '',
  seen = new Set<unknown>(),
): [path: string, secret: string][] {
  if (!isObject(value) || seen.has(value)) return [];
  seen.add(value);
  const properties = isObject(schema) && isObject(schema['properties']) ? schema['properties'] : {};
  return Object.entries(value).flatMap(([key, member]): [string, string][] => {
    const inside = properties[key];
    const name = path === '' ? key : `${path}.${key}`;
    if (typeof member !== 'string') return stringsIn(member, inside, name, seen);
    const isSecret = isSecretName(key) || (isObject(inside) && inside['writeOnly'] === true);
    return isSecret && member.length > 3 ? [[name, member]] : [];
  });
}

const redactor = createRedactor({ environment: false });

/** Returns true if the core treats values with this name as secrets. */
function isSecretName(name: string): boolean {
  const plain = { [name]: 'plain' };
  return !isDeepStrictEqual(redactor.value(plain), plain);
}

interface Shown {
  readonly where: string;
  readonly text: string;
}

/** Returns the texts of a plain run, of one in which a tool fails, and of one in which the model fails. */
async function textsOfRuns(subject: PluginSubject): Promise<Shown[]> {
  const failing = defineTool({
    name: 'conformance_fail',
    description: 'Fails.',
    input: { type: 'object' },
    execute() {
      throw new Error('conformance: the tool failed');
    },
  });
  const broken = scriptedModel(
    Array.from({ length: 100 }, () => ({ error: new Error('conformance: the provider failed') })),
  );
  const situations: AgentParts[] = [
    {},
    { tools: [failing], model: echoingModel(failing.name) },
    { model: broken },
  ];
  const shown: Shown[] = [];
  for (const parts of situations) {
    const store = memoryStore();
    await subject.withAgent({ ...parts, store }, async (agent) => {
      const { events, result, error } = await collectEvents(
        agent.stream('Tell me of onions.', { sessionId }),
      );
      const record = await store.load(sessionId);
      const errors = [error, result?.error, ...(result?.errors ?? [])];
      shown.push(
        { where: 'an event', text: JSON.stringify(events) },
        {
          where: 'what is stored, its state or a message',
          text: JSON.stringify([record?.state, record?.run, record?.messages]),
        },
        { where: 'an error', text: errors.flatMap(textsOf).join('\n') },
      );
    });
  }
  return shown;
}

/** Returns the errors for options that have a secret in the wrong form. */
async function textsOfRefusals({ definition, options }: PluginSubject): Promise<Shown[]> {
  const schema = definition.options;
  if (schema === undefined || !isObject(options)) return [];
  const shown: Shown[] = [];
  for (const [key, value] of Object.entries(options)) {
    for (const wrong of [[value], { value }]) {
      const { issues = [] } = await schema['~standard'].validate({ ...options, [key]: wrong });
      const where = `the error for a wrong "${key}" among the options`;
      shown.push({ where, text: issues.map(({ message }) => message).join('\n') });
    }
  }
  return shown;
}

function textsOf(error: unknown): string[] {
  if (error === undefined) return [];
  const cause = error instanceof Error ? error.cause : undefined;
  const inside = isShallotError(error) ? error.errors : [];
  return [messageOf(error), ...[cause, ...inside].flatMap(textsOf)];
}
