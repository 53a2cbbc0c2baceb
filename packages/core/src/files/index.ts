export { asText, encodeContent } from './content.ts';
export { diskFiles } from './disk-files.ts';
export type {
  FileContent,
  FileEntry,
  Files,
  FilesOptions,
  DiskFilesOptions,
  FileStat,
  LinkOptions,
  ListOptions,
  OwnOptions,
  ReadBytesOptions,
  ReadOptions,
  RemoveOptions,
  WriteOptions,
} from './files.ts';
export { checkFileRevision, checkSize, fileNotFound, notADirectory, notAFile } from './file-errors.ts';
export { protectFile, protectGlob } from './protection/loaded-files.ts';
export { memoryFiles } from './memory-files.ts';
export { mountFiles } from './mount-files.ts';
export { byPath, joinPath, splitPath, splitRemoved, splitWithin } from './path.ts';
