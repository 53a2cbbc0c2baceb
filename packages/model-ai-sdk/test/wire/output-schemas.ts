import type { JsonValue, Schema } from '@shallot/core';
import { toStandardJsonSchema } from '@valibot/to-json-schema';
import { scope, type } from 'arktype';
import { Type } from 'typebox';
import * as v from 'valibot';
import { z } from 'zod';

/** The kinds of schemas that providers treat differently. */
export const outputKinds = [
  'members',
  'optional members',
  'record',
  'union',
  'discriminated union',
  'recursion',
  'recursion that ends',
  'tuple',
] as const;
export type OutputKind = (typeof outputKinds)[number];

/** A schema for an answer, as users write it, and an answer that matches it. */
export interface OutputCase {
  readonly name: string;
  /** The column of the guide's table that this case represents, if any. */
  readonly kind?: OutputKind;
  readonly schema: Schema;
  readonly answer: JsonValue;
  /** True if strict mode can express the schema once its objects are closed. */
  readonly isStrict: boolean;
}

const Tree = z.object({
  name: z.string(),
  get children() {
    return z.array(Tree);
  },
});
const Chain = z.object({
  name: z.string(),
  get next() {
    return z.optional(Chain);
  },
});
const tree = { name: 'a', children: [{ name: 'b', children: [] }] };

export const outputCases: readonly OutputCase[] = [
  {
    name: 'zod: members, nested',
    kind: 'members',
    schema: z.object({
      days: z.int(),
      hive: z.object({ id: z.string(), mood: z.enum(['calm', 'cross']).nullable() }),
      notes: z.array(z.object({ text: z.string() })),
    }),
    answer: { days: 9, hive: { id: 'h1', mood: null }, notes: [{ text: 'x' }] },
    isStrict: true,
  },
  {
    name: 'zod: an optional member',
    kind: 'optional members',
    schema: z.object({ days: z.number(), note: z.string().optional() }),
    answer: { days: 9 },
    isStrict: false,
  },
  {
    name: 'zod: a record',
    kind: 'record',
    schema: z.object({ perHive: z.record(z.string(), z.number()) }),
    answer: { perHive: { h1: 9 } },
    isStrict: false,
  },
  {
    name: 'zod: a union',
    kind: 'union',
    schema: z.object({ at: z.union([z.object({ day: z.number() }), z.object({ word: z.string() })]) }),
    answer: { at: { word: 'soon' } },
    isStrict: true,
  },
  {
    name: 'zod: a discriminated union',
    kind: 'discriminated union',
    schema: z.object({
      at: z.discriminatedUnion('k', [
        z.object({ k: z.literal('day'), day: z.number() }),
        z.object({ k: z.literal('word'), word: z.string() }),
      ]),
    }),
    answer: { at: { k: 'day', day: 9 } },
    isStrict: false,
  },
  { name: 'zod: recursion', kind: 'recursion', schema: Tree, answer: tree, isStrict: true },
  {
    name: 'zod: recursion that may end',
    kind: 'recursion that ends',
    schema: Chain,
    answer: { name: 'a', next: { name: 'b' } },
    isStrict: false,
  },
  {
    name: 'zod: a tuple',
    kind: 'tuple',
    schema: z.object({ at: z.tuple([z.string(), z.number()]) }),
    answer: { at: ['h1', 9] },
    isStrict: false,
  },
  {
    name: 'zod: open',
    schema: z.looseObject({ days: z.number() }),
    answer: { days: 9, more: true },
    isStrict: false,
  },
  {
    name: 'zod: formats and limits',
    schema: z.object({ mail: z.email(), url: z.url(), id: z.string().min(2) }),
    answer: { mail: 'a@b.cd', url: 'https://a.b', id: 'h1' },
    isStrict: false,
  },
  {
    name: 'arktype: an optional member',
    schema: type({ days: 'number', 'note?': 'string' }),
    answer: { days: 9 },
    isStrict: false,
  },
  {
    name: 'arktype: recursion',
    schema: scope({ node: { name: 'string', children: 'node[]' } }).type('node'),
    answer: tree,
    isStrict: true,
  },
  {
    name: 'valibot: a variant',
    schema: toStandardJsonSchema(
      v.object({
        days: v.pipe(v.number(), v.integer(), v.minValue(1)),
        at: v.variant('k', [
          v.object({ k: v.literal('a'), n: v.number() }),
          v.object({ k: v.literal('b'), s: v.optional(v.string()) }),
        ]),
      }),
    ),
    answer: { days: 9, at: { k: 'b' } },
    isStrict: false,
  },
  {
    name: 'TypeBox: members',
    schema: Type.Object({
      days: Type.Integer(),
      mood: Type.Union([Type.String(), Type.Null()]),
    }) as unknown as Schema,
    answer: { days: 9, mood: null },
    isStrict: true,
  },
  {
    name: 'TypeBox: recursion',
    schema: Type.Cyclic(
      { Node: Type.Object({ name: Type.String(), children: Type.Array(Type.Ref('Node')) }) },
      'Node',
    ) as unknown as Schema,
    answer: tree,
    isStrict: false,
  },
  {
    name: 'JSON Schema of draft 7, with definitions',
    schema: {
      $schema: 'http://json-schema.org/draft-07/schema#',
      type: 'object',
      properties: { hive: { $ref: '#/definitions/hive' } },
      required: ['hive'],
      definitions: { hive: { type: 'object', properties: { id: { type: 'string' } }, required: ['id'] } },
    },
    answer: { hive: { id: 'h1' } },
    isStrict: true,
  },
  {
    name: 'JSON Schema: allOf',
    schema: {
      type: 'object',
      properties: {
        hive: {
          allOf: [
            { type: 'object', properties: { id: { type: 'string' } }, required: ['id'] },
            { properties: { age: { type: 'number' } } },
          ],
        },
      },
      required: ['hive'],
    },
    answer: { hive: { id: 'h1', age: 2 } },
    isStrict: false,
  },
];
