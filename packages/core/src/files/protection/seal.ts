import { createHmac, randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

import { createWhole } from '../../base/whole-file.ts';

const line = /^# seal: [\w-]+\n$/m;

/**
 * Returns a text for a file, with a seal in its last line, by which `isSealed` recognizes a text that a process of this
 * project wrote. The line is a YAML comment. The key is kept beside the file. @throws if no key can be kept there
 */
export function sealed(text: string, file: string): string {
  return `${text}# seal: ${sealOf(text, keyBeside(file) ?? makeKey(file))}\n`;
}

/** Returns true for content that `sealed` made for this file. */
export function isSealed(content: string, file: string): boolean {
  const key = keyBeside(file);
  const at = content.lastIndexOf('# seal: ');
  if (key === undefined || at === -1 || !line.test(content.slice(at))) return false;
  return content.slice(at) === `# seal: ${sealOf(content.slice(0, at), key)}\n`;
}

function sealOf(text: string, key: string): string {
  return createHmac('sha256', key).update(text).digest('base64url');
}

function pathOf(file: string): string {
  return join(dirname(file), 'seal.key');
}

function keyBeside(file: string): string | undefined {
  try {
    return readFileSync(pathOf(file), 'utf8');
  } catch {
    // Nothing was sealed here, or the key is lost.
    return undefined;
  }
}

/** Creates the key, or returns that of another process that was first. */
function makeKey(file: string): string {
  const key = randomBytes(32).toString('base64url');
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  // Whole, because a process that finds a part of a key would seal with that part.
  return createWhole(pathOf(file), key) ? key : readFileSync(pathOf(file), 'utf8');
}
