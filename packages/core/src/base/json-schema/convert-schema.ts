import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

import type { StandardJSONSchemaV1, StandardSchemaV1 } from '@standard-schema/spec';

/** A schema library that needs a separate package to produce JSON Schema; the user installs that package. */
interface Converter {
  readonly package: string;
  readonly is: (schema: object, vendor: string | undefined) => boolean;
  /** Returns the schema as a Standard Schema with JSON Schema. */
  readonly convert: (module: Record<string, unknown>, schema: object) => unknown;
}

// The exports of the packages below; a version without them is reported when the call fails.
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
 * Converts a schema that does not supply JSON Schema itself, with its library's converter from the project. Returns the
 * name of the package if it is not installed; undefined for a schema of an unknown library.
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
  // The type is documented by the converter's library.
  return { schema: converter.convert(found, schema) as StandardSchemaV1 & StandardJSONSchemaV1 };
}

/**
 * Returns a module of the current project, of the main program's package, or of the package that installed the core;
 * undefined if none has it.
 */
function fromProject(name: string): Record<string, unknown> | undefined {
  const places = [process.cwd(), dirname(process.argv[1] ?? ''), import.meta.dirname];
  for (const place of places) {
    try {
      return createRequire(join(place, 'package.json'))(name) as Record<string, unknown>;
    } catch {
      // Not found here: try the next place. The caller reports it if none has it.
    }
  }
  return undefined;
}

function withJsonSchema(schema: object, write: () => unknown): object {
  // Called only for schemas of zod, which are Standard Schemas.
  const { '~standard': standard } = schema as StandardSchemaV1;
  return { '~standard': { ...standard, jsonSchema: { input: write, output: write } } };
}
