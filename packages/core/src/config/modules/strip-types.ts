import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { getCompileCacheDir, stripTypeScriptTypes } from 'node:module';
import { join } from 'node:path';

import { isObject } from '../../base/is-object.ts';

/**
 * Strips the types from TypeScript, as Node does; the other code keeps its position. If the process has a compile cache,
 * the result is cached there in a file per URL, because loading Node's compiler takes longer than everything else about a
 * config.
 * @throws Node's `ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX` for syntax that must be compiled, `ERR_INVALID_TYPESCRIPT_SYNTAX`
 */
export function stripTypes(source: string, url: string): string {
  // The folder is trusted already: its compiled code is executed, too.
  const folder = getCompileCacheDir();
  if (folder === undefined) return stripped(source, url);
  const file = join(folder, `${encodeURIComponent(url).slice(-150)}.stripped.json`);
  const kept = readKept(file);
  if (kept?.source === source && kept.url === url && typeof kept.code === 'string') return kept.code;
  const code = stripped(source, url);
  keep(file, JSON.stringify({ url, source, code }));
  return code;
}

/** A cached result. The whole source is compared, because loading the code for a digest would take longer. */
interface Kept {
  readonly url?: unknown;
  readonly source?: unknown;
  readonly code?: unknown;
}

function readKept(file: string): Kept | undefined {
  try {
    const kept: unknown = JSON.parse(readFileSync(file, 'utf8'));
    return isObject(kept) ? kept : undefined;
  } catch {
    // It is not cached yet, or cannot be read, so it is created again.
    return undefined;
  }
}

function keep(file: string, text: string): void {
  // Renamed when it is complete, so that readers never see a part of it.
  const unfinished = `${file}.${process.pid}`;
  try {
    writeFileSync(unfinished, text, { mode: 0o600 });
    renameSync(unfinished, file);
  } catch {
    // The next process tries again.
  }
}

function stripped(source: string, url: string): string {
  // Node warns that this function is experimental, though it runs TypeScript files without a warning.
  const emitWarning: unknown = Reflect.get(process, 'emitWarning');
  process.emitWarning = () => {};
  try {
    return stripTypeScriptTypes(source, { mode: 'strip', sourceUrl: url });
  } finally {
    Reflect.set(process, 'emitWarning', emitWarning);
  }
}

/**
 * Returns the position of syntax that Node rejects: the error's stack begins with `url:line`, source lines, and carets.
 */
export function placeOfSyntax({
  stack = '',
}: Error): { readonly line: number; readonly column?: number } | undefined {
  const [frame = ''] = stack.split('\n\n', 1);
  const line = /^\S*:(\d+)\n/.exec(frame)?.[1];
  const marks = /^ *\^/m.exec(frame)?.[0];
  if (line === undefined) return undefined;
  return { line: Number(line), ...(marks === undefined ? {} : { column: marks.length }) };
}
