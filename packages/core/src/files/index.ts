export { diskFiles } from './disk-files.ts';
export type {
  FileContent,
  FileEntry,
  Files,
  FilesOptions,
  FileStat,
  ListOptions,
  ReadBytesOptions,
  ReadOptions,
  WriteOptions,
} from './files.ts';
export { memoryFiles } from './memory-files.ts';
export { mountFiles } from './mount-files.ts';
