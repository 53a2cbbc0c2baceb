import type { Message } from '@shallot/core';

type UserContent = Extract<Message, { readonly role: 'user' }>['content'];

/** A file in the form of a message part. */
export interface AttachedFile {
  readonly type: 'file';
  readonly mediaType: string;
  readonly data: string;
  readonly name: string;
}

/** The bytes of a body that are reserved for the text of a message and for the names of its files. */
const textBytes = 64 * 1024;

/** Returns the most bytes of files in a body. Base64 turns three bytes into four. */
export function fileBytesIn(bodyBytes: number): number {
  return Math.max(0, Math.floor(((bodyBytes - textBytes) * 3) / 4));
}

/** Returns the size of a file in bytes. */
export function sizeOf({ data }: AttachedFile): number {
  return (data.length / 4) * 3 - (/=*$/.exec(data)?.[0].length ?? 0);
}

/**
 * Reads files for a message, which may already have other files. Files that exceed the total size or cannot be read
 * are left out; `problem` names the reasons.
 */
export async function readFiles(
  files: readonly File[],
  given: readonly AttachedFile[],
  most: number,
): Promise<{ readonly files: readonly AttachedFile[]; readonly problem: string | undefined }> {
  const all = [...given];
  const problems: string[] = [];
  let left = most - given.reduce((sum, file) => sum + sizeOf(file), 0);
  for (const file of files) {
    if (file.size > left) {
      problems.push(
        `${file.name} has ${inWords(file.size)}: the files of a message may have ${inWords(most)}.`,
      );
      continue;
    }
    try {
      const bytes = new Uint8Array(await file.arrayBuffer());
      all.push({
        type: 'file',
        mediaType: mediaTypeOf(file, bytes),
        data: base64Of(bytes),
        name: nameOf(file),
      });
      left -= bytes.length;
    } catch (error) {
      problems.push(`${file.name} cannot be read: ${String(error)}`);
    }
  }
  return { files: all, problem: problems.length === 0 ? undefined : problems.join(' ') };
}

/** Returns the content of a message: its text, unless this is blank, and its files. */
export function contentOf(text: string, files: readonly AttachedFile[]): string | UserContent {
  if (files.length === 0) return text;
  return [...(text.trim() === '' ? [] : [{ type: 'text' as const, text }]), ...files];
}

/** Returns a number of bytes as a short string with a unit. */
export function inWords(bytes: number): string {
  if (bytes < 1000) return `${bytes} bytes`;
  const [size, unit] = bytes < 1_000_000 ? [bytes / 1000, 'kB'] : [bytes / 1_000_000, 'MB'];
  return `${size < 10 ? Math.floor(size * 10) / 10 : Math.floor(size)} ${unit}`;
}

/**
 * Returns the media type of a file. Browsers report none for source code, or a wrong one, such as that of a video.
 * All text gets a type that models read as text.
 */
function mediaTypeOf({ type }: File, bytes: Uint8Array): string {
  if (/^(?:image\/(?:png|jpeg|gif|webp)|application\/pdf|text\/[\w.+-]+)$/.test(type)) return type;
  if (isText(bytes)) return type === 'application/json' ? type : 'text/plain';
  return /^[\w.+-]+\/[\w.+-]+$/.test(type) ? type : 'application/octet-stream';
}

function isText(bytes: Uint8Array): boolean {
  try {
    return !new TextDecoder('utf-8', { fatal: true }).decode(bytes).includes('\0');
  } catch {
    // The bytes are not UTF-8.
    return false;
  }
}

/** Encodes bytes in portions, because all of them would be too many arguments for one call. */
function base64Of(bytes: Uint8Array): string {
  let binary = '';
  for (let at = 0; at < bytes.length; at += 8192)
    binary += String.fromCharCode(...bytes.subarray(at, at + 8192));
  return btoa(binary);
}

function nameOf({ name }: File): string {
  return name.replaceAll(/[/\\\p{Cc}]/gu, '_').slice(-255) || 'file';
}
