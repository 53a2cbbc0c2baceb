import {
  registerHooks,
  setSourceMapsSupport,
  SourceMap,
  type LoadHookSync,
  type ResolveHookSync,
  type SourceMapPayload,
} from 'node:module';

/** A module that Node gets from memory. */
export interface ServedModule {
  readonly code: string;
  readonly sourceMap: SourceMapPayload;
  /** The other served modules that it imports: specifier → URL. */
  readonly imports: ReadonlyMap<string, string>;
}

const served = new Map<string, ServedModule>();

/**
 * Lets `import()` of a URL give a module from memory. The URL is that of the file that it stands for, with a query: so
 * Node itself resolves what else the module imports, and `import.meta` is what it would be.
 */
export function serveModule(url: string, module: ServedModule): void {
  if (served.size === 0) begin();
  served.set(url, module);
}

/** For the life of the process: a module may import others, or throw, at any later time. */
function begin(): void {
  registerHooks({ resolve: resolveServed, load: loadServed });
  if (!process.sourceMapsEnabled) setSourceMapsSupport(true, { nodeModules: false, generatedCode: false });
}

const resolveServed: ResolveHookSync = (specifier, context, nextResolve) => {
  const url = served.has(specifier) ? specifier : served.get(context.parentURL ?? '')?.imports.get(specifier);
  if (url === undefined) return nextResolve(specifier, context);
  return { url, format: 'module', shortCircuit: true };
};

const loadServed: LoadHookSync = (url, context, nextLoad) => {
  const module = served.get(url);
  if (module === undefined) return nextLoad(url, context);
  const map = Buffer.from(JSON.stringify(module.sourceMap)).toString('base64');
  const source = `${module.code}\n//# sourceMappingURL=data:application/json;base64,${map}`;
  return { format: 'module', source, shortCircuit: true };
};

/** Where in the source something in a served module stands; undefined for what is not served. Counts from 1. */
export function originInServed(
  url: string,
  line: number,
  column: number,
): { readonly line: number; readonly column: number } | undefined {
  const module = served.get(url);
  if (module === undefined) return undefined;
  const origin = new SourceMap(module.sourceMap).findOrigin(line, column);
  return 'lineNumber' in origin ? { line: origin.lineNumber, column: origin.columnNumber } : undefined;
}
