import type { PlainCommand, PlainLine } from '../line/plain-line.ts';
import type { PlainWord } from '../line/plain-word.ts';

/** Matches the names of files and directories with keys, which the tools for files do not read either. */
export const secretName =
  /^\.(?:env(?!\.example$).*|git|ssh|shallot|netrc|git-credentials|aws|azure|gnupg|kube|pypirc)$/i;

/** Matches such names in a path. */
const secret =
  /(?:^|[/:=])\.(?:env(?!\.example$)[^/]*|git|ssh|shallot|netrc|git-credentials|aws|azure|gnupg|kube|pypirc|docker\/config\.json|config\/(?:gh|gcloud))(?:\/|$)/i;

/** Matches an option with such a name attached as its value: `-f.env`. */
const attached = /^-[a-zA-Z]+(?=\.)/;

/** A hidden name of which the shell fills in a part. */
const hidden = /(?:^|[/:=])\.[^/]*\*/;

/** Tests of find, whose values name nothing that it opens. */
const test = /^-(?:i?name|i?path|i?wholename|i?regex|i?lname)$/;

/** Options of searches that leave files out. */
const leavesOut = /^--exclude(?:-dir)?(?:=|$)/;

/** Returns true if a line names a file with keys. */
export function namesSecret({ commands, inputs }: PlainLine): boolean {
  return [...commands.flatMap(opened), ...inputs].some(isSecret);
}

/** Returns true for the path of a file with keys. */
export function isSecretPath(path: string): boolean {
  return secret.test(path);
}

/** Returns the words of a command that may be files which it opens. */
export function opened([, ...args]: PlainCommand): readonly PlainWord[] {
  return args.filter(
    ({ text }, at) => !leavesOut.test(text) && !test.test(args[at - 1]?.text ?? '') && !isLeftOut(args, at),
  );
}

function isLeftOut(args: readonly PlainWord[], at: number): boolean {
  return /^--exclude(?:-dir)?$/.test(args[at - 1]?.text ?? '');
}

function isSecret({ text, isOpen }: PlainWord): boolean {
  const path = text.replace(attached, '');
  return secret.test(path) || (isOpen && hidden.test(path));
}
