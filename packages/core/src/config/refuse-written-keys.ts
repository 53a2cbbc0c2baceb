import { ShallotError } from '../errors.ts';
import { isSecretName } from '../redact/secret-names.ts';
import { isReference } from './environment.ts';
import { formatPath, type ConfigPath, type ConfigSource } from './locate.ts';
import { isModuleFile } from './names.ts';

/**
 * Keys of models come from the environment: one that is written out in a config file gets into the history of a
 * repository. In a config that is code it may come from anywhere.
 */
export function refuseWrittenKeys(
  { file, value, locate }: ConfigSource,
  report: (error: ShallotError) => void,
): void {
  if (isModuleFile(file)) return;
  const model = memberOf(value, 'model');
  const headers = memberOf(model, 'headers');
  const places: ConfigPath[] = [
    ['model', 'apiKey'],
    ...Object.keys(typeof headers === 'object' && headers !== null ? headers : {})
      .filter(isSecretName)
      .map((name) => ['model', 'headers', name]),
  ];
  for (const path of places) {
    const written = path.reduce<unknown>((parent, name) => memberOf(parent, String(name)), value);
    if (written === undefined || written === null || isReference(written)) continue;
    report(
      new ShallotError('CONFIG_INVALID', {
        message: `${formatPath(path)} is written out in the config. Put the secret into an environment variable, and write { $env: NAME }.`,
        at: locate(path),
      }),
    );
  }
}

function memberOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? (value as Readonly<Record<string, unknown>>)[name]
    : undefined;
}
