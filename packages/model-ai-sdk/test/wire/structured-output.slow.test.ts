import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import type { JsonObject } from '@shallot/core';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';

import { rewritten } from './harms.ts';
import { outputCases, type OutputCase } from './output-schemas.ts';
import { outputTable, wayOf } from './output-table.ts';
import { forgetKeys, openOnLoopback } from './project.ts';
import { providerFacts, type ProviderFacts } from './provider-facts.ts';
import { sentSchema, type SentSchema } from './sent-schema.ts';
import {
  faultsForGemini,
  isKnownToAnthropic,
  isStrictForOpenAi,
  keywordsOfGemini,
} from './vendor-subsets.ts';
import { startWire, type WireRequest } from './wire-server.ts';

const wire = await startWire();
afterAll(() => wire[Symbol.asyncDispose]());
beforeEach(() => {
  wire.reset();
  forgetKeys();
});

/** Asks for an answer in that shape, through a config, and gives what was sent for it. */
async function ask(facts: ProviderFacts, { schema, answer }: OutputCase): Promise<SentSchema> {
  const agent = await openOnLoopback(facts, wire.url);
  const text = JSON.stringify(answer);
  const harm = rewritten(facts.fits ?? String);
  wire.answer((request: WireRequest) =>
    sentSchema(request.text).how === 'tool'
      ? { toolCalls: [{ name: 'json', args: text }], harm }
      : { text, harm },
  );
  const { output } = await agent.run('How often?', { output: schema });
  expect(output).toEqual(answer);
  expect(wire.requests).toHaveLength(1);
  return sentSchema(wire.requests[0]?.text ?? '');
}

describe.each(providerFacts)('an answer in a given shape, of $provider', (facts) => {
  it.each(outputCases)('$name', async (each) => {
    const { how, schema = {} } = await ask(facts, each);
    expect(how).not.toBe('nothing');
    // Strict mode is asked for only with what the SDK of its inventor would send.
    expect(how !== 'strict' || (each.isStrict && isStrictForOpenAi(schema))).toBe(true);
    expect(how).toBe(each.kind === undefined ? how : wayOf(facts.provider, each.kind));
  });
});

function factsOf(name: string): ProviderFacts {
  const found = providerFacts.find(({ provider }) => provider === name);
  expect(found).toBeDefined();
  return found as ProviderFacts;
}

describe('what is sent keeps to what the SDK of the vendor knows', () => {
  it.each(outputCases)('of OpenAI: $name', async (each) => {
    const { how } = await ask(factsOf('openai'), each);
    expect(how === 'strict').toBe(each.isStrict);
  });

  it.each(outputCases)('of Anthropic: $name', async (each) => {
    const { how, schema = {} } = await ask(factsOf('anthropic'), each);
    expect(how === 'schema' ? isKnownToAnthropic(schema) : ['tool', 'words'].includes(how)).toBe(true);
  });

  it.each(outputCases)('of Gemini: $name', async (each) => {
    const { how, schema = {} } = await ask(factsOf('google'), each);
    expect(how === 'schema' || how === 'words').toBe(true);
    expect(faultsForGemini(schema)).toEqual([]);
  });

  it('which lists for Gemini what may be said of a reference', () => {
    expect(keywordsOfGemini()).toEqual(expect.arrayContaining(['$ref', '$defs', 'prefixItems']));
    expect(keywordsOfGemini()).not.toContain('definitions');
    const circle: JsonObject = {
      type: 'object',
      properties: { a: { $ref: '#', title: 'A' } },
      required: ['a'],
    };
    expect(faultsForGemini(circle)).toEqual(['# has something beside it', 'a circle does not end']);
  });
});

it('is what the guide says', () => {
  const path = join(import.meta.dirname, '../../../../docs/guides/structured-output.md');
  const flat = (text: string): string => text.replaceAll(/ {2,}/g, ' ').replaceAll(/-{3,}/g, '---');
  expect(flat(readFileSync(path, 'utf8'))).toContain(flat(outputTable()));
});
