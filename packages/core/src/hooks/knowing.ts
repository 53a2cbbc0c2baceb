import { ShallotError } from '../base/errors.ts';
import { nearest } from '../base/nearest.ts';

/**
 * Returns an object whose unknown members throw with a list of the known ones, since a misspelt hook would otherwise be
 * undefined. `hints` has advice for members that people may look for.
 */
export function knowing<T extends object>(
  members: T,
  what: string,
  plugin: string,
  hints: Readonly<Record<string, string>>,
): T {
  // The proxy is the prototype, so existing members never reach it.
  const unknown = unknownMembers(Object.keys(members), what, plugin, hints);
  return Object.freeze(Object.setPrototypeOf(members, unknown)) as T;
}

/** Returns a prototype for objects with members of these names: access to any other member throws, as in `knowing`. */
export function unknownMembers(
  names: readonly string[],
  what: string,
  plugin: string,
  hints: Readonly<Record<string, string>>,
): object {
  return new Proxy(
    {},
    {
      get(target, key): unknown {
        // JavaScript itself reads these members of any object.
        if (typeof key === 'symbol' || key in target || key === 'then' || key === 'toJSON')
          return Reflect.get(target, key);
        const near = nearest(key, names);
        const instead = hints[key];
        if (instead !== undefined)
          throw new ShallotError('OPTION_INVALID', {
            message: `There is no "${key}" in ${what}. ${instead}`,
            plugin,
          });
        const advice = near === undefined ? `There are ${names.join(', ')}.` : `Did you mean "${near}"?`;
        throw new ShallotError('OPTION_INVALID', {
          message: `There is no "${key}" in ${what}. ${advice}`,
          plugin,
        });
      },
    },
  );
}
