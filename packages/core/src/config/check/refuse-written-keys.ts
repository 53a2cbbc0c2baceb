import { ShallotError } from '../../base/errors.ts';
import { isSecretName } from '../../redact/secret-names.ts';
import { formatPath, type ConfigPath, type ConfigSource } from '../modules/locate.ts';
import { isModuleFile } from '../packages/names.ts';
import { isReference } from './environment.ts';
import { isLikeSecret } from './secret-places.ts';

/**
 * Reports secrets written in a config file, since they could be committed to a repository. They belong in the
 * environment. A string counts as a secret if its key is named like one (`apiKey`, the header `Authorization`, a
 * plugin's option `token`), unless it is a path or a URL. Configs in code are not checked.
 */
export function refuseWrittenKeys(
  { file, value, locate }: ConfigSource,
  report: (error: ShallotError) => void,
): void {
  if (isModuleFile(file)) return;
  for (const path of writtenSecrets(value, [], [])) {
    report(
      new ShallotError('CONFIG_INVALID', {
        message: `${formatPath(path)} is a literal secret in the config. Put it into an environment variable, and write { $env: NAME }.`,
        at: locate(path),
      }),
    );
  }
}

function writtenSecrets(value: unknown, path: ConfigPath, parents: readonly unknown[]): ConfigPath[] {
  // YAML aliases can create cycles.
  if (typeof value !== 'object' || value === null || isReference(value) || parents.includes(value)) return [];
  const inside = [...parents, value];
  return Object.entries(value).flatMap(([key, member]: [string, unknown]) => {
    const at = [...path, Array.isArray(value) ? Number(key) : key];
    const isSecret = typeof member === 'string' && member !== '' && isSecretName(key) && isLikeSecret(member);
    return isSecret ? [at] : writtenSecrets(member, at, inside);
  });
}
