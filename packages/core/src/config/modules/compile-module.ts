import { setSourceMapsSupport, SourceMap, type LoadFnOutput, type SourceMapPayload } from 'node:module';
import { compileFunction } from 'node:vm';

import { ShallotError } from '../../base/errors.ts';
import { compileFile, requiredEsbuild } from './esbuild.ts';
import type { LocalModule } from './module-graph.ts';
import { placeOfSyntax, stripTypes } from './strip-types.ts';

/**
 * Makes of a TypeScript file what Node can run: by taking its types out, or by esbuild where that does not do.
 * @throws `ESBUILD_MISSING`, `MODULE_FAILED` with the place
 */
export function compileModule(module: LocalModule, format: string | null | undefined): LoadFnOutput {
  const { file, url, isCompiled } = module;
  const source = module.read().toString();
  if (isCompiled) return compileByEsbuild(module, 'Node cannot run this file directly');
  if (file.endsWith('x')) return compileByEsbuild(module, 'Node cannot run TypeScript with JSX');
  try {
    const code = stripTypes(source, url);
    return { format: isCommonJs(code, format) ? 'commonjs' : 'module', source: code, shortCircuit: true };
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    const at = { file, ...placeOfSyntax(error) };
    if ('code' in error && error.code === 'ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX') {
      return compileByEsbuild(module, error.message, at);
    }
    const message = `The file cannot be compiled: ${error.message}.`;
    throw new ShallotError('MODULE_FAILED', { message, at, cause: error });
  }
}

const sourceMaps = new Map<string, SourceMapPayload>();

function compileByEsbuild(
  { file, url }: LocalModule,
  refused: string,
  at: { readonly file: string; readonly line?: number } = { file },
): LoadFnOutput {
  const { code, sourceMap } = compileFile(requiredEsbuild(refused, at), file);
  if (!process.sourceMapsEnabled) setSourceMapsSupport(true, { nodeModules: false, generatedCode: false });
  sourceMaps.set(url, sourceMap);
  const map = Buffer.from(JSON.stringify(sourceMap)).toString('base64');
  const source = `${code}\n//# sourceMappingURL=data:application/json;base64,${map}`;
  return { format: 'module', source, shortCircuit: true };
}

/** What parses as a function's body, in a folder that is not said to hold ES modules, is CommonJS: Node's own rule. */
function isCommonJs(code: string, format: string | null | undefined): boolean {
  if (format?.startsWith('module') === true) return false;
  try {
    compileFunction(code, ['exports', 'require', 'module', '__filename', '__dirname']);
    return true;
  } catch {
    // Not CommonJS, then: ES modules do not parse as a function.
    return false;
  }
}

/** Where in the source something stands in what esbuild made of it; undefined for all else. Counts from 1. */
export function originInCompiled(
  url: string,
  line: number,
  column: number,
): { readonly line: number; readonly column: number } | undefined {
  const map = sourceMaps.get(url);
  if (map === undefined) return undefined;
  const origin = new SourceMap(map).findOrigin(line, column);
  return 'lineNumber' in origin ? { line: origin.lineNumber, column: origin.columnNumber } : undefined;
}
