import type { PlainLine } from '../line/plain-line.ts';
import type { PlainWord } from '../line/plain-word.ts';

/** Files with keys, which tools for files do not read either. */
const secret = /(?:^|\/)\.(?:env(?!\.example$)[^/]*|ssh|shallot)(?:\/|$)/i;

/** A hidden name of which the shell fills in a part. */
const hidden = /(?:^|\/)\.[^/]*\*/;

/** Returns true if a line names a file with keys. A search through a directory may still find one. */
export function namesSecret({ commands, inputs }: PlainLine): boolean {
  const operands = commands.flatMap(([, ...args]) => args.filter(({ text }) => !text.startsWith('-')));
  return [...operands, ...inputs].some(isSecret);
}

function isSecret({ text, isOpen }: PlainWord): boolean {
  return secret.test(text) || (isOpen && hidden.test(text));
}
