import { ShallotError } from '../../base/errors.ts';
import { firstJsonError } from '../modules/first-json-error.ts';
import { jsonFault } from '../modules/json-fault.ts';
import { positionAt, type ConfigSource } from '../modules/locate.ts';
import { parseYaml } from './parse-yaml.ts';

/** Parses JSON with the location of each value. @throws `CONFIG_SYNTAX`, also for YAML that is not JSON */
export function parseJson(text: string, file: string): ConfigSource {
  const fault = jsonFault(text, 'Fix it there, or use YAML.');
  if (fault !== undefined) {
    throw new ShallotError('CONFIG_SYNTAX', {
      message: `The config is not JSON: ${fault}`,
      at: { file, ...positionAt(text, firstJsonError(text)) },
    });
  }
  // JSON is valid YAML; the YAML parser adds locations and the validation of keys.
  return parseYaml(text, file);
}
