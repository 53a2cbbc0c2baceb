import { ShallotError } from '../base/errors.ts';
import { issueSentence, readShape, type Shape, type ShapeOutput } from './option-shape.ts';

/** The options of a function, complete. @throws `OPTION_INVALID` for unknown keys and wrong values, all of them together */
export function readOptions<S extends Shape>(what: string, shape: S, options: object): ShapeOutput<S> {
  const problems: string[] = [];
  const output = readShape(shape, { ...options }, (message, ...path) => {
    const named = `option "${path.join('.')}" of ${what}`;
    problems.push(issueSentence(message, `The ${named}`, named));
  });
  if (problems.length > 0) throw new ShallotError('OPTION_INVALID', { message: problems.join('\n') });
  return output;
}
