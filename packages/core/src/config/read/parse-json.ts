import { ShallotError } from '../../base/errors.ts';
import { messageOf } from '../../base/thrown.ts';
import { firstJsonError } from '../modules/first-json-error.ts';
import { positionAt, type ConfigSource } from '../modules/locate.ts';
import { parseYaml } from './parse-yaml.ts';

/** Parses JSON with the location of each value. @throws `CONFIG_SYNTAX`, also for YAML that is not JSON */
export function parseJson(text: string, file: string): ConfigSource {
  try {
    JSON.parse(text);
  } catch (error) {
    const message = `The config is not JSON: ${messageOf(error).replace(/ (?:in|after) JSON at position.*| \(line.*/, '')}. ${hint(text)}`;
    throw new ShallotError('CONFIG_SYNTAX', {
      message,
      at: { file, ...positionAt(text, firstJsonError(text)) },
      cause: error,
    });
  }
  // JSON is valid YAML; the YAML parser adds locations and the validation of keys.
  return parseYaml(text, file);
}

function hint(text: string): string {
  if (/^\s*(?:\/\/|\/\*|#)/m.test(text)) return 'JSON does not allow comments: remove them, or use YAML.';
  if (/,\s*[}\]]/.test(text)) return 'JSON does not allow a comma after the last element.';
  return 'Fix it there, or use YAML.';
}
