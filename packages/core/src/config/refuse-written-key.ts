import { ShallotError } from '../errors.ts';
import { isReference } from './environment.ts';
import type { ConfigSource } from './locate.ts';
import { isModuleFile } from './names.ts';

/**
 * Keys come from the environment: one that is written out in a config file gets into the history of a repository. In a
 * config that is code it may come from anywhere.
 */
export function refuseWrittenKey(
  { file, value, locate }: ConfigSource,
  report: (error: ShallotError) => void,
): void {
  if (isModuleFile(file)) return;
  const model = memberOf(value, 'model');
  const key = memberOf(model, 'apiKey');
  if (key === undefined || key === null || isReference(key)) return;
  report(
    new ShallotError('CONFIG_INVALID', {
      message:
        'model.apiKey is written out in the config. Put the key into an environment variable, and write apiKey: { $env: NAME }.',
      at: locate(['model', 'apiKey']),
    }),
  );
}

function memberOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? (value as Readonly<Record<string, unknown>>)[name]
    : undefined;
}
