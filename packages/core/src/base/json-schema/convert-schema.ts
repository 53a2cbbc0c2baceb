import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

import type { StandardJSONSchemaV1, StandardSchemaV1 } from '@standard-schema/spec';

/** A schema of a library that writes JSON Schema by a package of its own, which is the user's dependency. */
interface Converter {
  readonly package: string;
  readonly is: (schema: object, vendor: string | undefined) => boolean;
  /** The schema as a Standard Schema that gives JSON Schema. */
  readonly convert: (module: Record<string, unknown>, schema: object) => unknown;
}

// What the packages below export under these names; a version that does not is reported when the call fails.
type Convert = (schema: unknown, options?: object) => unknown;

const converters: readonly Converter[] = [
  {
    package: 'effect',
    is: (schema, vendor) => vendor === 'effect' || '~effect/Schema/Schema' in schema,
    convert({ Schema }, schema) {
      const { toStandardSchemaV1, toStandardJSONSchemaV1 } = Schema as Record<string, Convert>;
      return toStandardJSONSchemaV1?.('~standard' in schema ? schema : toStandardSchemaV1?.(schema));
    },
  },
  {
    package: 'zod/v4/core',
    is: (schema, vendor) => vendor === 'zod' && '_zod' in schema,
    convert: ({ toJSONSchema }, schema) =>
      withJsonSchema(schema, () =>
        (toJSONSchema as Convert)(schema, { io: 'input', target: 'draft-2020-12' }),
      ),
  },
  {
    package: 'zod-to-json-schema',
    is: (_schema, vendor) => vendor === 'zod',
    convert: ({ zodToJsonSchema }, schema) =>
      withJsonSchema(schema, () => (zodToJsonSchema as Convert)(schema, { effectStrategy: 'input' })),
  },
  {
    package: '@valibot/to-json-schema',
    is: (_schema, vendor) => vendor === 'valibot',
    convert: ({ toStandardJsonSchema }, schema) => (toStandardJsonSchema as Convert)(schema),
  },
];

/**
 * A schema that gives no JSON Schema by itself, as one that does: by the converter of its library, if the project has it. Else
 * the name of that package; undefined for a schema of no library that is known.
 */
export function convertSchema(
  schema: unknown,
): { readonly schema: StandardSchemaV1 & StandardJSONSchemaV1 } | { readonly missing: string } | undefined {
  if ((typeof schema !== 'object' && typeof schema !== 'function') || schema === null) return undefined;
  const { '~standard': standard } = schema as Partial<StandardSchemaV1>;
  const converter = converters.find(({ is }) => is(schema, standard?.vendor));
  if (converter === undefined) return undefined;
  const found = fromProject(converter.package);
  if (found === undefined) return { missing: converter.package };
  // What a converter makes is what its library documents.
  return { schema: converter.convert(found, schema) as StandardSchemaV1 & StandardJSONSchemaV1 };
}

/** A module of the project that runs, of its program, or of whatever has this copy of the core. */
function fromProject(name: string): Record<string, unknown> | undefined {
  const places = [process.cwd(), dirname(process.argv[1] ?? ''), import.meta.dirname];
  for (const place of places) {
    try {
      return createRequire(join(place, 'package.json'))(name) as Record<string, unknown>;
    } catch {
      // It is not there: the next place may have it, and whoever asks says so if none has.
    }
  }
  return undefined;
}

function withJsonSchema(schema: object, write: () => unknown): object {
  // The converters call this for schemas of zod only, which are Standard Schemas.
  const { '~standard': standard } = schema as StandardSchemaV1;
  return { '~standard': { ...standard, jsonSchema: { input: write, output: write } } };
}
