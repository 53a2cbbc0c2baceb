import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { Io } from './io.ts';

/** The user's editor, as a command for a shell; undefined when none is set, or when stdin is not this process's own. */
export function editorOf({ env, stdin }: Io): string | undefined {
  if (stdin !== process.stdin) return undefined;
  // A variable that is empty is none.
  return [env.VISUAL, env.EDITOR].find((editor) => editor !== undefined && editor.trim() !== '');
}

/**
 * Lets the user edit a text in their editor, which has the terminal until it ends. The file is readable by its owner
 * only, and gone afterwards. @throws when the editor cannot be started or fails; the text is then as it was
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
    await runEditor(`${editor} ${quote(file)}`, { env, signal });
    return readFileSync(file, 'utf8');
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function runEditor(
  command: string,
  { env, signal }: { readonly env: Io['env']; readonly signal: AbortSignal },
): Promise<void> {
  // What the variables hold may have arguments, as with git: `code --wait`.
  const child = spawn(command, { shell: true, stdio: 'inherit', env, signal });
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (status, killed) => {
      if (status === 0) resolve();
      else reject(new Error(`the editor ended with ${killed ?? `status ${status}`}`));
    });
  });
}

function quote(path: string): string {
  return process.platform === 'win32' ? `"${path}"` : `'${path.replaceAll("'", String.raw`'\''`)}'`;
}
