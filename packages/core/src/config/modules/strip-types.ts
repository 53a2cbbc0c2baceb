import { stripTypeScriptTypes } from 'node:module';

/**
 * Takes the types out of TypeScript, as Node does with a file that it runs; what is left stands where it stood.
 * @throws Node's `ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX` for what has to be compiled, `ERR_INVALID_TYPESCRIPT_SYNTAX`
 */
export function stripTypes(source: string, url: string): string {
  // Node runs TypeScript files without a warning, but warns of the function that does the same.
  const emitWarning: unknown = Reflect.get(process, 'emitWarning');
  process.emitWarning = () => {};
  try {
    return stripTypeScriptTypes(source, { mode: 'strip', sourceUrl: url });
  } finally {
    Reflect.set(process, 'emitWarning', emitWarning);
  }
}

/** Where the syntax stands that Node refuses: its stack begins with `url:line`, lines of the file, and marks under the last one. */
export function placeOfSyntax({
  stack = '',
}: Error): { readonly line: number; readonly column?: number } | undefined {
  const [frame = ''] = stack.split('\n\n', 1);
  const line = /^\S*:(\d+)\n/.exec(frame)?.[1];
  const marks = /^ *\^/m.exec(frame)?.[0];
  if (line === undefined) return undefined;
  return { line: Number(line), ...(marks === undefined ? {} : { column: marks.length }) };
}
