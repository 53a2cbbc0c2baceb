import type { Files } from '../files/files.ts';
import { regainClaim } from './regain-claim.ts';
import type { RunParts } from './run-parts.ts';

/** Returns files whose changes are allowed only while the run holds its claim on the session. */
export function heldFiles(run: RunParts, files: Files): Files {
  async function whileHeld<T>(change: () => Promise<T>): Promise<T> {
    while (!run.record.session.isHeld) await regainClaim(run);
    return change();
  }

  return {
    get root() {
      return files.root;
    },
    identity: files.identity ?? files,
    list: (path, options) => files.list(path, options),
    stat: (path, options) => files.stat(path, options),
    read: (path, options) => files.read(path, options),
    readText: (path, options) => files.readText(path, options),
    ...(files.realPath === undefined ? {} : { realPath: files.realPath.bind(files) }),
    write: (path, data, options) => whileHeld(() => files.write(path, data, options)),
    append: (path, data, options) => whileHeld(() => files.append(path, data, options)),
    remove: (path, options) => whileHeld(() => files.remove(path, options)),
  };
}
