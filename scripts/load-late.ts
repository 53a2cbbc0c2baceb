import { isBuiltin } from 'node:module';
import { promisify } from 'node:util';

import type { Plugin } from 'rolldown';

/** Modules of Node that take milliseconds to load, and from which our packages use only functions. */
const dear: ReadonlySet<string> = new Set([
  'node:child_process',
  'node:crypto',
  'node:fs/promises',
  'node:timers/promises',
  'node:zlib',
]);

/** CommonJS packages whose modules each export a single function. */
const functions = /^semver\//;

/** Prefixes of the ids of generated modules; the module that is loaded late follows. */
const made = { import: '\0late-import:', require: '\0late-require:', call: '\0late-call:' } as const;

/**
 * Defers loading of modules that a start may not need. An import of one of Node's modules copies all its exports, and
 * thereby also loads what those load on first use; `process.getBuiltinModule` does neither. The slow modules are loaded
 * with the first call of one of their functions, and so are dependencies that are a single function.
 */
export function loadLate(): Plugin {
  return {
    name: 'load-late',
    async resolveId(source, importer, { kind }) {
      // The bundler's own modules must be loaded before all others.
      if (importer === undefined || importer.startsWith('\0')) return null;
      if (isBuiltin(source)) {
        const name = source.startsWith('node:') ? source : `node:${source}`;
        return (kind === 'require-call' ? made.require : made.import) + name;
      }
      if (importer.includes('node_modules') || !functions.test(source)) return null;
      const resolved = await this.resolve(source, importer, { skipSelf: true });
      return resolved === null ? null : made.call + resolved.id;
    },
    load(id) {
      if (id.startsWith(made.import)) return importOf(id.slice(made.import.length));
      if (id.startsWith(made.require)) return `module.exports = ${getting(id.slice(made.require.length))};`;
      if (!id.startsWith(made.call)) return null;
      return `module.exports = (...args) => require(${JSON.stringify(id.slice(made.call.length))})(...args);`;
    },
  };
}

function getting(name: string): string {
  return `process.getBuiltinModule(${JSON.stringify(name)})`;
}

/**
 * Returns the source of an ES module that exports the members of one of Node's modules. The bundler drops what is not
 * used.
 */
function importOf(name: string): string {
  const late: string[] = [];
  const atOnce: string[] = [];
  const code = Object.entries(Object.getOwnPropertyDescriptors(process.getBuiltinModule(name)))
    .filter(([key]) => /^[A-Za-z]\w*$/.test(key) && key !== 'default')
    .map(([key, { value }]) => {
      const isCalled = dear.has(name) && typeof value === 'function' && /^[a-z]/.test(key);
      // `promisify` reads a property of such a function itself, so a wrapper would not do.
      const isLate = isCalled && !(promisify.custom in value);
      (isLate ? late : atOnce).push(`_${key} as ${key}`);
      return isLate
        ? `const _${key} = (...args) => ${getting(name)}.${key}(...args);`
        : `const _${key} = /* @__PURE__ */ (() => ${getting(name)}.${key})();`;
    });
  const all =
    late.length === 0
      ? getting(name)
      : `{ ${late.map((each) => each.replace(/(.*) as (.*)/, '$2: $1')).join(', ')} }`;
  return `${code.join('\n')}\nexport { ${[...late, ...atOnce].join(', ')} };\nexport default /* @__PURE__ */ (() => (${all}))();`;
}
