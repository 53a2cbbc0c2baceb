import { registerHooks, type LoadHookSync } from 'node:module';

/** The file in which zod imports its messages in all languages. English is also imported elsewhere. */
const index = '/zod/v4/locales/index.js';

const line = /^export \{ default as (\w+) \} from (["'])\.\/([\w-]+)\.js\2;?$/;

let isRegistered = false;

/**
 * Makes zod load its messages in a language only when a program uses them. Most providers need zod, and no other part of
 * it has as many files: 64, none of which they use.
 */
export function loadLocalesLate(): void {
  if (isRegistered) return;
  isRegistered = true;
  registerHooks({ load: loadIndex });
}

const loadIndex: LoadHookSync = (url, context, nextLoad) => {
  const loaded = nextLoad(url, context);
  if (!url.endsWith(index) || loaded.source === undefined) return loaded;
  const { source: given } = loaded;
  const source = lateLocales(typeof given === 'string' ? given : Buffer.from(given as Uint8Array).toString());
  return source === undefined ? loaded : { ...loaded, source };
};

/**
 * Returns the module with functions that each load a language when called; undefined if the module has an unexpected
 * form.
 */
export function lateLocales(source: string): string | undefined {
  const lines = source.trim().split('\n');
  const functions: string[] = [];
  for (const text of lines) {
    const [, name, , file] = line.exec(text) ?? [];
    if (name === undefined || file === undefined) return undefined;
    functions.push(`export const ${name} = () => localeIn('./${file}.cjs');`);
  }
  return `import { createRequire } from 'node:module';
const load = createRequire(import.meta.url);
const localeIn = (file) => {
  const locale = load(file);
  return (locale.default ?? locale)();
};
${functions.join('\n')}
`;
}
