import type { MarkdownPart } from './split-markdown.ts';

/** The maximum length of a path in a mention. */
const maxMentionLength = 1024;
const mention = new RegExp(`(?<=^|[\\s("'*_[])@((?:\\\\ |[^\\s\`]){1,${maxMentionLength}})`, 'g');
const closingMarks = '.,;:!?)]}>"\'*_';

/** Returns the imports of a memory file: each `@path` in its prose, once. */
export function findImports(parts: readonly MarkdownPart[]): string[] {
  // A backtick replaces code, so that adjacent text does not become a path.
  const prose = parts
    .map(({ kind, text }) => (kind === 'prose' ? text : kind === 'code' ? '`' : ''))
    .join('');
  const found = new Set<string>();
  for (const { 1: written = '' } of prose.matchAll(mention)) {
    const path = withoutClosingMarks(written).replaceAll('\\ ', ' ');
    if (path !== '') found.add(path);
  }
  return [...found];
}

function withoutClosingMarks(written: string): string {
  let end = written.length;
  while (end > 0 && closingMarks.includes(written[end - 1] ?? '')) end -= 1;
  return written.slice(0, end);
}

/**
 * Returns the absolute path that a mention in the file `from` stands for: relative to the directory of that file, or to the
 * root if it begins with `/`. Returns undefined if it leads out of the root or begins with `~/`, and `/` for the root
 * itself.
 */
export function resolveImport(path: string, from: string): string | undefined {
  if (path.startsWith('~/')) return undefined;
  const names = path.startsWith('/') ? [] : from.split('/').slice(1, -1);
  for (const name of path.split('/')) {
    if (name === '' || name === '.') continue;
    if (name !== '..') names.push(name);
    else if (names.pop() === undefined) return undefined;
  }
  return `/${names.join('/')}`;
}
