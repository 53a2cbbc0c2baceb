import { fitsPattern } from '@shallot/core/plugin';

import type { PlainLine } from '../line/plain-line.ts';
import type { PlainWord } from '../line/plain-word.ts';
import { mayWalk } from '../presets/preset.ts';
import { isMove, placesAfter } from './move.ts';
import { wrappedCommand } from './wrapped-command.ts';

/**
 * Returns true if a line may read below `/proc`, where the environment of the agent is: by a name, by a pattern, or
 * by a walk from a directory above it.
 */
export function mayReachProc({ commands, inputs }: PlainLine, root: string | undefined): boolean {
  const moves = commands.filter(isMove).flatMap((move) => move.slice(1));
  const words = [
    ...commands.filter((command) => !isMove(command)).flatMap((command) => command.slice(1).flatMap(pathsIn)),
    ...inputs,
  ];
  if (mayPassLink(words, moves, root)) return true;
  const isMoved = root === '/' || commands.some((command) => isMove(command) && mayBeTop(command[1]));
  if (inputs.some((word) => mayNameProc(word, isMoved))) return true;
  return commands.map(wrappedCommand).some((command) => {
    const args = command.slice(1).flatMap(pathsIn);
    if (args.some((word) => mayNameProc(word, isMoved))) return true;
    return !isMove(command) && mayWalk(command) && (isMoved || args.some(mayBeTop));
  });
}

/** Returns a word, and the value in it: `--file=/proc/1/environ`, `-f/proc/1/environ`. */
function pathsIn(word: PlainWord): readonly PlainWord[] {
  const [, value] = /^(?:-[^/]*?|[^/]*[=:])([/.~].*)$/s.exec(word.text) ?? [];
  return value === undefined ? [word] : [word, { ...word, text: value }];
}

/** Returns true for `/`, `..`, the home directory, and a word that may become one of them. */
function mayBeTop(word: PlainWord | undefined): boolean {
  if (word === undefined) return true;
  const names = namesOf(word.text);
  const isOutside = /^[/~]/.test(word.text) || names.includes('..');
  return isOutside && (names.length === 0 || names.at(-1) === '..' || names.at(-1) === '~' || word.isOpen);
}

function mayNameProc({ text, isOpen }: PlainWord, isMoved: boolean): boolean {
  const names = namesOf(text);
  if (names.includes('proc')) return true;
  const isOutside = isMoved || /^[/~]/.test(text) || names.includes('..');
  return isOpen && isOutside && names.some((name) => name.includes('*') && mayBecomeProc(name));
}

/** The links below `/dev` that lead to `/proc/self/fd`. */
const linksToProc = ['fd', 'stdin', 'stdout', 'stderr'];

/**
 * Returns true if a word may be a path through a link of `/dev`, from one of the directories that a line enters; also if
 * these are too many.
 */
function mayPassLink(words: readonly PlainWord[], moves: readonly PlainWord[], root = '/.../...'): boolean {
  const from = (place: string, { text }: PlainWord): string => (isAbsolute(text) ? text : `${place}/${text}`);
  const places = placesAfter(moves, root, (place, move) => [from(place, move)]);
  return places === undefined || places.some((place) => words.some((word) => passesLink(from(place, word))));
}

function isAbsolute(path: string): boolean {
  return /^[/~]/.test(path);
}

/** Returns true if a path continues after one of the links. */
function passesLink(path: string): boolean {
  const names: string[] = [];
  for (const name of namesOf(path)) {
    const [first, second, ...more] = names;
    const isLink = first === 'dev' && more.length === 0 && second !== undefined;
    if (isLink && linksToProc.some((link) => fitsPattern(second, link))) return true;
    if (name === '..') names.pop();
    else names.push(name);
  }
  return false;
}

function mayBecomeProc(name: string): boolean {
  const [first = '', ...rest] = name.split('*');
  const last = rest.at(-1) ?? '';
  return 'proc'.startsWith(first) && 'proc'.endsWith(last);
}

function namesOf(path: string): readonly string[] {
  return path.split('/').filter((name) => name !== '' && name !== '.');
}
