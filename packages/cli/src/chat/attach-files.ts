import { readFileSync, realpathSync, statSync } from 'node:fs';
import nodePath, { basename, extname, resolve, type PlatformPath } from 'node:path';

import type { MessageInput } from '@shallot/core';
import type { ChatModel } from '@shallot/core/model';
import { reasonOf, textPart } from '@shallot/core/plugin';

import { fenced } from '../rendering/fenced.ts';
import { visibleLine } from '../terminal/visible.ts';

/** The media types of the files that are sent as they are. */
const mediaTypes: Readonly<Record<string, string>> = {
  '.gif': 'image/gif',
  '.jpeg': 'image/jpeg',
  '.jpg': 'image/jpeg',
  '.pdf': 'application/pdf',
  '.png': 'image/png',
  '.webp': 'image/webp',
};

/** The largest sizes of a text file and of an image or PDF, in bytes. */
const maxText = 256 * 1024;
const maxFile = 5 * 1024 * 1024;

/** `@path` or `@"a path"` at the start of a word. */
const mention = /(?<=^|\s)@(?:"([^"\n]+)"|(\S+))/g;

type UserMessage = Extract<MessageInput, { readonly role: 'user' }>;
type Content = Exclude<UserMessage['content'], string>;

/** The message with its files, or the reasons why it cannot be sent. */
export type Attached = { readonly input: string | UserMessage } | { readonly problems: readonly string[] };

/**
 * Returns a message with the files that it mentions as `@path`: text in a fence, images and PDFs as they are. A mention
 * without a slash or dot counts only if there is such a file. A file that cannot be attached is a problem: for example if
 * it is missing, too large, or outside of the folder. `\@` is a plain at sign.
 */
export function attachFiles(text: string, folder: string): Attached {
  const problems: string[] = [];
  const files = new Map<string, Content[number]>();
  for (const [, quoted, bare = ''] of text.matchAll(mention)) {
    const found = find(quoted ?? bare, quoted !== undefined, folder);
    if (found === undefined) continue;
    try {
      files.set(found.path, readFile(found.path, found.named));
    } catch (error) {
      problems.push(`@${visibleLine(found.named)} ${reasonOf(error)}`);
    }
  }
  if (problems.length > 0) return { problems };
  const plain = text.replaceAll(/(?<=^|\s)\\@/g, '@');
  return {
    input: files.size === 0 ? plain : { role: 'user', content: [textPart(plain), ...files.values()] },
  };

  function find(named: string, isQuoted: boolean, from: string): { path: string; named: string } | undefined {
    const trimmed = isQuoted ? named : named.replace(/[.,;:!?)\]]+$/, '');
    const there = [named, trimmed].find((each) => each !== '' && isThere(resolve(from, each)));
    if (there === undefined && !isQuoted && !/[./\\]/.test(trimmed)) return undefined;
    const path = resolve(from, there ?? trimmed);
    const problem = problemOf(path, from, there !== undefined);
    if (problem === undefined) return { path, named: there ?? trimmed };
    problems.push(`@${visibleLine(there ?? trimmed)} ${problem}`);
    return undefined;
  }
}

/** Returns a sentence per file of a message that the model gets only by its name. */
export function notTaken(
  input: string | UserMessage,
  model: Pick<ChatModel, 'id' | 'takesFile'>,
): readonly string[] {
  if (typeof input === 'string' || typeof input.content === 'string') return [];
  return input.content.flatMap((part) =>
    part.type === 'file' && model.takesFile?.(part, 'user') === false
      ? [
          `${model.id} does not take ${part.mediaType}: it gets only the name of ${visibleLine(part.name ?? '')}.`,
        ]
      : [],
  );
}

function isThere(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    // The path cannot be looked up, for example because a part of it is a file instead of a folder.
    return false;
  }
}

function problemOf(path: string, folder: string, isFound: boolean): string | undefined {
  if (isOutside(path, folder)) return `is outside of ${visibleLine(folder)}.`;
  if (!isFound) return 'does not exist. To write it as text, put a backslash before the @.';
  return leadsOutOf(path, folder) ? `is outside of ${visibleLine(folder)}.` : undefined;
}

/**
 * Returns whether a path is outside of a folder or leads out of it through a link. A path inside the folder without a
 * file does not.
 */
export function leadsOutOf(path: string, folder: string): boolean {
  if (isOutside(path, folder)) return true;
  return isThere(path) && isOutside(realpathSync(path), realpathSync(folder));
}

/**
 * Returns whether an absolute path is outside of a folder, by the rules of a platform. On Windows, a path on another
 * drive is outside.
 */
export function isOutside(path: string, folder: string, platform: PlatformPath = nodePath): boolean {
  const way = platform.relative(folder, path);
  return way === '..' || way.startsWith(`..${platform.sep}`) || platform.isAbsolute(way);
}

/**
 * Reads a file as a part of a message. @throws an error whose message follows the file's path in a sentence, such as
 * "is a directory."
 */
function readFile(path: string, named: string): Content[number] {
  const mediaType = mediaTypes[extname(path).toLowerCase()];
  const limit = mediaType === undefined ? maxText : maxFile;
  const stat = statSync(path);
  if (stat.isDirectory()) throw new Error('is a directory. Name a file in it.');
  if (!stat.isFile()) throw new Error('is not a regular file.');
  if (stat.size > limit) {
    const size = `${Math.ceil(stat.size / 1024).toLocaleString('en')} kB`;
    throw new Error(
      `is too large: ${size}, of at most ${(limit / 1024).toLocaleString('en')} kB. Let a tool read parts of it.`,
    );
  }
  const bytes = readFileSync(path);
  if (mediaType !== undefined)
    return { type: 'file', mediaType, data: bytes.toString('base64'), name: basename(path) };
  return textPart(`${named}:\n${fenced(decode(bytes))}`);
}

function decode(bytes: Buffer): string {
  let text: string | undefined;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    // The file is not UTF-8, which is reported below.
  }
  if (text === undefined || text.includes('\0')) {
    throw new Error('is neither text in UTF-8 nor an image (png, jpeg, gif, webp) or PDF.');
  }
  return text;
}
