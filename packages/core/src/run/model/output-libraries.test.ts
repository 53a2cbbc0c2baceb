import { toStandardJsonSchema } from '@valibot/to-json-schema';
import { type } from 'arktype';
import { Schema as Effect } from 'effect';
import { Type } from 'typebox';
import * as v from 'valibot';
import { expect, expectTypeOf, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import * as zod3 from 'zod-3';
import * as mini from 'zod/mini';

import { scriptedModel } from '../../../../testing/src/index.ts';
import { createAgent, defineTool, type Agent, type JsonObject, type JsonValue } from '../../index.ts';

interface Days {
  days: number;
}

async function agentThatAnswers(): Promise<Agent> {
  const agent = await createAgent({ model: scriptedModel([{ text: '{"days":9}' }]), log: 'silent' });
  onTestFinished(() => agent.close());
  return agent;
}

// Code that runs also compiles: none of these schemas is cast.
const schemas = {
  zod: z.object({ days: z.number() }),
  mini: mini.object({ days: mini.number() }),
  zod3: zod3.z.object({ days: zod3.z.number() }),
  arktype: type({ days: 'number' }),
  valibot: v.object({ days: v.number() }),
  converted: toStandardJsonSchema(v.object({ days: v.number() })),
  effect: Effect.Struct({ days: Effect.Number }),
  effectStandard: Effect.toStandardSchemaV1(Effect.Struct({ days: Effect.Number })),
};

it('the output has the type of its schema, whatever the library', async () => {
  const given = schemas;
  const outputs = [
    (await (await agentThatAnswers()).run('?', { output: given.zod })).output,
    (await (await agentThatAnswers()).run('?', { output: given.mini })).output,
    (await (await agentThatAnswers()).run('?', { output: given.zod3 })).output,
    (await (await agentThatAnswers()).run('?', { output: given.arktype })).output,
    (await (await agentThatAnswers()).stream('?', { output: given.valibot }).result).output,
    (await (await agentThatAnswers()).run('?', { output: given.converted })).output,
    (await (await agentThatAnswers()).run('?', { output: given.effect })).output,
    (await (await agentThatAnswers()).run('?', { output: given.effectStandard })).output,
  ];
  expectTypeOf(outputs).toExtend<(Days | undefined)[]>();
  for (const output of outputs) expect(output).toEqual({ days: 9 });
});

it('a plain JSON Schema, also of TypeBox, gives JSON', async () => {
  const agent = await agentThatAnswers();
  const { output } = await agent.run('?', { output: Type.Object({ days: Type.Number() }) });
  expectTypeOf(output).toEqualTypeOf<JsonValue | undefined>();
  expect(output).toEqual({ days: 9 });
});

it('arguments of tools have the type of their schema', () => {
  const about = { name: 'wait', description: 'Waits.' };
  const execute = ({ days }: Readonly<Days>): number => days;
  const tools = [
    defineTool({ ...about, input: schemas.mini, execute }),
    defineTool({ ...about, input: schemas.zod3, execute }),
    defineTool({ ...about, input: schemas.valibot, execute }),
    defineTool({ ...about, input: schemas.effect, execute }),
    defineTool({ ...about, input: schemas.effectStandard, execute }),
  ];
  for (const { inputSchema } of tools) expect(inputSchema['required']).toEqual(['days']);
  const plain = { type: 'object' };
  defineTool({ ...about, input: plain, execute: (args) => expectTypeOf(args).toEqualTypeOf<JsonObject>() });
});
