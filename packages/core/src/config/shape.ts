/** What a value of a config may be: the table that checks read, and from which its description can be made. */
export type Shape =
  | {
      readonly kind: 'text';
      readonly what: string;
      readonly fits?: (text: string) => string | undefined;
      /** Never shown. */
      readonly secret?: boolean;
    }
  | { readonly kind: 'boolean' }
  | { readonly kind: 'number'; readonly whole?: boolean; readonly min?: number; readonly max?: number }
  | { readonly kind: 'choice'; readonly of: readonly string[] }
  | { readonly kind: 'list'; readonly of: Shape }
  | { readonly kind: 'record'; readonly of: Shape }
  | { readonly kind: 'object'; readonly what: string; readonly keys: Readonly<Record<string, Key>> }
  /** Only in configs that are code. */
  | { readonly kind: 'code'; readonly what: string; readonly is: (value: unknown) => boolean }
  /** Checked by a function of another module, which throws a `ShallotError`. */
  | {
      readonly kind: 'checked';
      readonly what: string;
      readonly check: (value: unknown, plugin: string) => void;
    }
  | { readonly kind: 'either'; readonly of: readonly Shape[] }
  | { readonly kind: 'anything' };

export interface Key {
  readonly shape: Shape;
  readonly required?: boolean;
}

/** What to write, for messages: "a whole number of at least 1". */
export function describeShape(shape: Shape): string {
  switch (shape.kind) {
    case 'boolean':
      return 'true or false';
    case 'number':
      return `a ${shape.whole === true ? 'whole ' : ''}number${describeRange(shape.min, shape.max)}`;
    case 'choice':
      return joinWithOr(shape.of);
    case 'list':
      return `a list of (${describeShape(shape.of)})`;
    case 'record':
      return `an object of (${describeShape(shape.of)})`;
    case 'either':
      return joinWithOr(shape.of.filter(({ kind }) => kind !== 'code').map(describeShape));
    case 'anything':
      return 'any value';
    default:
      return shape.what;
  }
}

function describeRange(min: number | undefined, max: number | undefined): string {
  if (min !== undefined && max !== undefined) return ` from ${min} to ${max}`;
  return min === undefined ? '' : ` of at least ${min}`;
}

function joinWithOr(texts: readonly string[]): string {
  const last = texts.at(-1) ?? '';
  return texts.length < 2 ? last : `${texts.slice(0, -1).join(', ')} or ${last}`;
}
