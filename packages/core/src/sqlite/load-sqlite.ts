import type * as Sqlite from 'node:sqlite';

/**
 * Loads `node:sqlite` without the warning that it is experimental, which some versions of Node print when they first
 * load it: users of the store have not chosen `node:sqlite`, and can do nothing about the warning. Other warnings pass;
 * loading is synchronous, so nothing else runs meanwhile.
 */
export function loadSqlite(): typeof Sqlite {
  // Read without binding it, so that exactly the original function is restored below.
  const emitWarning = Reflect.get(process, 'emitWarning');
  process.emitWarning = (warning: string | Error, ...rest: unknown[]): void => {
    if (rest[0] === 'ExperimentalWarning' && String(warning).includes('SQLite')) return;
    Reflect.apply(emitWarning, process, [warning, ...rest]);
  };
  try {
    return process.getBuiltinModule('node:sqlite');
  } finally {
    process.emitWarning = emitWarning;
  }
}
