import { isBuiltin } from 'node:module';
import { promisify } from 'node:util';

import type { Plugin } from 'rolldown';

/** Modules of Node that take milliseconds to load, of which our packages use nothing but functions. */
const dear: ReadonlySet<string> = new Set([
  'node:child_process',
  'node:crypto',
  'node:fs/promises',
  'node:timers/promises',
  'node:zlib',
]);

/** CommonJS packages whose modules are a function each. */
const functions = /^semver\//;

/** Ids of the modules that this makes; the rest is what is loaded late. */
const made = { import: '\0late-import:', require: '\0late-require:', call: '\0late-call:' } as const;

/**
 * Loads later what a start may do without. An import of a module of Node copies all that it exports, and so loads even
 * what it would load when it is first used: `process.getBuiltinModule` does neither. The dear ones are loaded with the first
 * call of one of their functions, and so is a dependency that is a function.
 */
export function loadLate(): Plugin {
  return {
    name: 'load-late',
    async resolveId(source, importer, { kind }) {
      // One of the bundler's own modules is loaded before all others.
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

/** A module of Node as an ES module, of which the bundler leaves out what is not used. */
function importOf(name: string): string {
  const late: string[] = [];
  const atOnce: string[] = [];
  const code = Object.entries(Object.getOwnPropertyDescriptors(process.getBuiltinModule(name)))
    .filter(([key]) => /^[A-Za-z]\w*$/.test(key) && key !== 'default')
    .map(([key, { value }]) => {
      const isCalled = dear.has(name) && typeof value === 'function' && /^[a-z]/.test(key);
      // `promisify` asks such a function itself.
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
