import { describeValue } from '../base/describe-value.ts';
import { ShallotError } from '../base/errors.ts';
import type { LiveTap } from './live-tap.ts';

/** The options of `next`, with their validation. */
const checks: Readonly<Record<string, readonly [wanted: string, isFine: (value: unknown) => boolean]>> = {
  emit: ['a function', (value) => typeof value === 'function'],
  signal: ['an AbortSignal', isSignal],
  parallel: ['true or false', (value) => typeof value === 'boolean'],
};

/** @throws `OPTION_INVALID` for unknown options of `next` and for values of a wrong type */
export function checkNextOptions(tap: LiveTap, options: unknown): void {
  const wrong = problemOf(options);
  if (wrong === undefined) return;
  const { plugin, hook } = tap.info;
  throw new ShallotError('OPTION_INVALID', {
    message: `${plugin} called next of ${hook} with ${wrong}.`,
    plugin,
    hook,
  });
}

function problemOf(options: unknown): string | undefined {
  if (typeof options !== 'object' || options === null) {
    return `${describeValue(options)} as options; pass an object of ${known}`;
  }
  for (const [key, value] of Object.entries(options)) {
    const check = checks[key];
    if (check === undefined) return `the unknown option "${key}"; it takes ${known}`;
    const [wanted, isFine] = check;
    if (value !== undefined && !isFine(value)) return `${describeValue(value)} as ${key}; pass ${wanted}`;
  }
  return undefined;
}

const known = Object.keys(checks).join(', ');

/** Checked by shape, because signals of polyfills and other realms are valid too. */
function isSignal(value: unknown): boolean {
  return (
    typeof value === 'object' &&
    value !== null &&
    'aborted' in value &&
    'addEventListener' in value &&
    typeof value.addEventListener === 'function'
  );
}
