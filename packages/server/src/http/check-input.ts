import { ShallotError } from '@shallot/core';
import { optionsSchema, type Shape, type ShapeOutput } from '@shallot/core/plugin';

import { issuePath } from './issue-path.ts';

/** Checks an object of a request, with the schema that describes it. @throws `server/REQUEST_INVALID` with all faults */
export function checkInput<S extends Shape>(
  place: 'body' | 'query',
  shape: S,
  value: unknown,
): ShapeOutput<S> {
  const result = validatorOf(shape)(value ?? {});
  if (result instanceof Promise) throw new TypeError('A schema of options answers at once.');
  if (result.issues === undefined) return result.value;
  const faults = result.issues.map(({ message, path }) => {
    const at = issuePath(path);
    return `${at === '' ? `the ${place}` : `"${at}" of the ${place}`}: ${message}`;
  });
  throw new ShallotError('server/REQUEST_INVALID', {
    message: `The request is not valid. ${faults.join('. ')}.`,
  });
}

/** The validators of shapes. They are kept, because the shapes of routes live as long as the program. */
const validators = new WeakMap<Shape, unknown>();

function validatorOf<S extends Shape>(
  shape: S,
): ReturnType<typeof optionsSchema<S>>['~standard']['validate'] {
  const known = validators.get(shape);
  // The cast is safe, because each shape is the key of its own validator.
  if (known !== undefined) return known as ReturnType<typeof validatorOf<S>>;
  const { validate } = optionsSchema(shape)['~standard'];
  validators.set(shape, validate);
  return validate;
}

/** Returns the parameters of a query. A string becomes a number or boolean if its option has this type. */
export function readQuery(shape: Shape, params: URLSearchParams): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    Array.from(params, ([name, text]) => [
      name,
      Object.hasOwn(shape, name) ? typed(shape[name], text) : text,
    ]),
  );
}

function typed(option: Shape[string] | undefined, text: string): unknown {
  const type = option?.json?.['type'];
  if ((type === 'integer' || type === 'number') && /^-?\d+(?:\.\d+)?$/.test(text)) return Number(text);
  if (type === 'boolean' && (text === 'true' || text === 'false')) return text === 'true';
  return text;
}
