import { stripTypeScriptTypes } from 'node:module';

/**
 * Strips the types from TypeScript, as Node does; the other code keeps its position. @throws Node's
 * `ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX` for syntax that must be compiled, `ERR_INVALID_TYPESCRIPT_SYNTAX`
 */
export function stripTypes(source: string, url: string): string {
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
