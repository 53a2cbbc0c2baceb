import { createHash } from 'node:crypto';
import { join } from 'node:path';

import { ShallotError } from '@shallot/core';
import { encodeContent, type FileContent, type Files, type OwnOptions } from '@shallot/core/files';

/** The files of an editor, as its windows show them. */
export interface EditorBuffers {
  /** Returns the text of a file, with changes that are not saved. Rejects if the editor cannot show it. */
  readonly read: (path: string) => Promise<string>;
  /** Replaces the text of a file, and saves it. Undefined if the editor does not let agents write. */
  readonly write?: (path: string, text: string) => Promise<void>;
}

/** A file whose text in the editor is not that on disk. */
interface UnsavedFile extends FileContent {
  /** The absolute path on this machine. */
  readonly place: string;
  readonly onDisk: FileContent;
}

/** The largest file that an editor is asked about, in bytes. */
const maxBytes = 4 * 1024 * 1024;

/**
 * Returns the files on disk as an editor shows them. If a file has unsaved changes, they are read, and a write also goes to
 * the editor; `FILE_CONFLICT` refuses the write if the editor does not accept any, or if `ifRevision` is not the revision
 * with these changes. Lists, searches, appends, removals and large files use the disk alone, with all its checks.
 */
export function unsavedFiles(disk: Files, buffers: EditorBuffers): Files {
  async function unsaved(path: string, { own = false }: OwnOptions = {}): Promise<UnsavedFile | undefined> {
    const place = join(disk.root ?? '', (await disk.realPath?.(path)) ?? path);
    const shown = await buffers.read(place).catch(() => undefined);
    if (shown === undefined) return undefined;
    const onDisk = await disk.read(path, { own });
    const before = Buffer.from(onDisk.bytes).toString('utf8');
    // Editors show every end of line as LF, and no byte order mark.
    if (plain(before) === plain(shown)) return undefined;
    const bytes = encodeContent(before.includes('\r\n') ? plain(shown).replaceAll('\n', '\r\n') : shown);
    const revision = `${onDisk.revision}+${createHash('sha256').update(bytes).digest('base64url').slice(0, 16)}`;
    return { bytes, revision, place, onDisk };
  }

  return {
    ...disk,
    async stat(path, options) {
      const stat = await disk.stat(path, options);
      if (stat === undefined || stat.size > maxBytes) return stat;
      const file = await unsaved(path, options);
      return file === undefined ? stat : { ...stat, size: file.bytes.length, revision: file.revision };
    },
    async read(path, options = {}) {
      const content = await disk.read(path, options);
      const size =
        options.length === undefined ? content.bytes.length : (await disk.stat(path, options))?.size;
      const file = size === undefined || size > maxBytes ? undefined : await unsaved(path, options);
      if (file === undefined) return content;
      const { start = 0, length = Infinity } = options;
      return { bytes: file.bytes.subarray(start, start + length), revision: file.revision };
    },
    async readText(path, options) {
      const content = await disk.readText(path, options);
      const file = content.text.length > maxBytes ? undefined : await unsaved(path, options);
      if (file === undefined) return content;
      return { text: Buffer.from(file.bytes).toString('utf8'), revision: file.revision };
    },
    async write(path, data, options = {}) {
      const stat = await disk.stat(path, options).catch(() => undefined);
      const file = stat === undefined || stat.size > maxBytes ? undefined : await unsaved(path, options);
      if (file === undefined) return disk.write(path, data, options);
      const { ifRevision } = options;
      const isAsRead = ifRevision === undefined || ifRevision === file.revision;
      if (buffers.write === undefined || !isAsRead)
        throw new ShallotError('FILE_CONFLICT', {
          message: `${path} has changes in the editor that are not saved. ${isAsRead ? 'Ask the user to save or discard them.' : 'Read it again.'}`,
        });
      const revision = await disk.write(path, data, {
        ...options,
        ...(ifRevision !== undefined && { ifRevision: file.onDisk.revision }),
      });
      try {
        await buffers.write(file.place, Buffer.from(encodeContent(data)).toString('utf8'));
      } catch (error) {
        // The call fails, so it must not have changed the file, unless somebody else has written it meanwhile.
        await disk
          .write(path, file.onDisk.bytes, { ...options, ifRevision: revision })
          .catch(() => undefined);
        throw error;
      }
      return (await disk.stat(path, options))?.revision ?? revision;
    },
  };
}

function plain(text: string): string {
  return text.replace(/^\uFEFF/, '').replaceAll('\r\n', '\n');
}
