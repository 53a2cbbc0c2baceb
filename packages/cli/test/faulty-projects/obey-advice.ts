import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';

import type { Project } from '../project.ts';
import type { Obedience } from './faulty-project.ts';

/** The advice to follow, and the code of the finding that gives it. */
interface Obeyed {
  readonly code: string;
  readonly obey: Obedience;
}

/** Follows the advice of a report: writes or removes at the place that the report itself names. */
export function obeyAdvice(project: Project, report: string, { code, obey }: Obeyed): void {
  if (obey !== 'remove' && 'files' in obey) {
    for (const [path, content] of Object.entries(obey.files)) {
      if (content === null) rmSync(join(project.folder, path));
      else project.write({ [path]: content });
    }
    return;
  }
  const [, file = '', line = '', column = ''] =
    new RegExp(`(?:error|warning) ${code} (?:\\[[^\\]]*\\] )?(\\S+?):(\\d+):(\\d+): `).exec(report) ?? [];
  if (file === '') throw new Error(`No place to write at: ${report}`);
  const lines = readFileSync(join(project.folder, file), 'utf8').split('\n');
  const before = lines.slice(0, Number(line) - 1);
  const own = lines[Number(line) - 1] ?? '';
  const head = own.slice(0, Number(column) - 1);
  const rest = [own.slice(head.length), ...lines.slice(before.length + 1)];
  const after = obey === 'remove' ? withoutFirst(head, rest) : withFirst(obey.write, rest);
  project.write({ [file]: [...before, head + after].join('\n') });
}

/** Replaces the first word: quoted, in brackets, or up to a blank or another character that ends it. */
function withFirst(text: string, [line = '', ...rest]: readonly string[]): string {
  const word = /^(?:"[^"]*"|'[^']*'|\[[^\]]*\]|\{[^}]*\}|[^\s,[\]{}]*[^\s,[\]{}:])/.exec(line)?.[0] ?? '';
  return [text + line.slice(word.length), ...rest].join('\n');
}

/**
 * Removes the first key with its value, or the first list item. In a block, the lines that are indented further belong
 * to it.
 */
function withoutFirst(head: string, [line = '', ...rest]: readonly string[]): string {
  const inFlow = /[{[][^}\]]*$/.test(head);
  if (inFlow) return [line.replace(/^[^,}\]]*(?:, *)?/, ''), ...rest].join('\n');
  const end = rest.findIndex((next) => next.trim() === '' || !next.startsWith(' '.repeat(head.length + 1)));
  return rest.slice(end === -1 ? rest.length : end).join('\n');
}
