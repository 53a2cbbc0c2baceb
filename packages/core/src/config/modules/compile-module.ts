import { setSourceMapsSupport, SourceMap, type LoadFnOutput, type SourceMapPayload } from 'node:module';
import { compileFunction } from 'node:vm';

import { ShallotError } from '../../base/errors.ts';
import { compileFile, requiredEsbuild } from './esbuild.ts';
import type { LocalModule } from './module-graph.ts';
import { placeOfSyntax, stripTypes } from './strip-types.ts';

/**
 * Compiles a TypeScript file for Node: by stripping its types, or with esbuild if that is not enough. @throws
 * `ESBUILD_MISSING`, `MODULE_FAILED` with the location
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

/**
 * Returns true for CommonJS by Node's rule: the code parses as a function body, and no package.json declares ES
 * modules.
 */
function isCommonJs(code: string, format: string | null | undefined): boolean {
  if (format?.startsWith('module') === true) return false;
  try {
    compileFunction(code, ['exports', 'require', 'module', '__filename', '__dirname']);
    return true;
  } catch {
    // ES module syntax does not parse as a function body.
    return false;
  }
}

/** Maps a position in code compiled by esbuild to its source; undefined for other code. Counts from 1. */
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
