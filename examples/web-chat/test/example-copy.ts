import { spawn, type ChildProcess } from 'node:child_process';
import { cpSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';

import { onTestFinished } from 'vitest';

const example = dirname(import.meta.dirname);

/** Copies the example into a folder that is deleted when the test ends. */
export function copyExample(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'shallot-web-chat-')));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  // The copied tsconfig would extend one outside the folder, and the page needs none.
  const left = new Set(['node_modules', '.shallot', 'tsconfig.json', 'test']);
  cpSync(example, folder, {
    recursive: true,
    filter: (path) => path === example || !left.has(basename(path)),
  });
  symlinkSync(join(example, 'node_modules'), join(folder, 'node_modules'), 'dir');
  return folder;
}

/** A server in a process of its own. */
export interface StartedServer {
  readonly server: ChildProcess;
  /** The address that the server prints. */
  readonly url: string;
}

/** Starts a server program, and reads its address. The program is killed when the test ends. */
export async function startServer(
  folder: string,
  args: readonly string[],
  port = '0',
): Promise<StartedServer> {
  const server = spawn(process.execPath, ['--no-warnings', ...args], {
    cwd: folder,
    env: { ...process.env, PORT: port },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  onTestFinished(() => void server.kill('SIGKILL'));
  const printed = Promise.withResolvers<string>();
  let text = '';
  for (const stream of [server.stdout, server.stderr])
    stream.on('data', (piece) => {
      text += String(piece);
      const [, url] = /(http:\S+)\n/.exec(text) ?? [];
      if (url !== undefined) printed.resolve(url);
    });
  server.once('exit', () => printed.reject(new Error(`The server ended:\n${text}`)));
  return { server, url: await printed.promise };
}
