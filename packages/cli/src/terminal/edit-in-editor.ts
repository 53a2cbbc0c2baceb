import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { Io } from './io.ts';

/** Returns the user's editor as a shell command; undefined if none is set, or stdin is not that of this process. */
export function editorOf({ env, stdin }: Io): string | undefined {
  if (stdin !== process.stdin) return undefined;
  // Empty variables count as unset.
  return [env.VISUAL, env.EDITOR].find((editor) => editor !== undefined && editor.trim() !== '');
}

/**
 * Lets the user edit a text in their editor, which uses the terminal until it exits. The temporary file is readable
 * only by its owner. @throws if the editor cannot be started or fails
 */
export async function editInEditor(
  editor: string,
  text: string,
  { env, signal }: { readonly env: Io['env']; readonly signal: AbortSignal },
): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'shallot-edit-'));
  const file = join(folder, 'arguments.json');
  try {
    writeFileSync(file, text, { mode: 0o600 });
    await runEditor(`${editor} ${quotePath(file)}`, { env, signal });
    return readFileSync(file, 'utf8');
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function runEditor(
  command: string,
  { env, signal }: { readonly env: Io['env']; readonly signal: AbortSignal },
): Promise<void> {
  // The variables may contain arguments, as with git: `code --wait`.
  const child = spawn(command, { shell: true, stdio: 'inherit', env, signal });
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (status, killed) => {
      if (status === 0) resolve();
      else reject(new Error(`the editor ended with ${killed ?? `status ${status}`}`));
    });
  });
}

/** Quotes a path for the shell of a platform. Windows paths cannot contain quotation marks. */
export function quotePath(path: string, platform: NodeJS.Platform = process.platform): string {
  return platform === 'win32' ? `"${path}"` : `'${path.replaceAll("'", String.raw`'\''`)}'`;
}
