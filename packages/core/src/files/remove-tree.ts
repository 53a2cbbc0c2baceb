import { lstatSync, rmdirSync, unlinkSync } from 'node:fs';
import { readdir } from 'node:fs/promises';

import type { OpenDirectory } from './open-directory.ts';
import type { Guard, Place } from './open-place.ts';
import { badPath } from './path.ts';

/** Returns true if a directory exists; a link to one does not count. */
export function isDirectory({ directory, name }: Place): boolean {
  return lstatSync(directory.entry(name), { throwIfNoEntry: false })?.isDirectory() === true;
}

/**
 * Removes a directory and its content through open directory handles, without following links. Nothing is removed if the
 * guard throws for anything in it.
 */
export async function removeTree({ directory, name }: Place, path: string, guard?: Guard): Promise<true> {
  if (guard !== undefined) await checkIn(directory, name, guard);
  await removeIn(directory, name, path);
  return true;
}

async function checkIn(parent: OpenDirectory, name: string, guard: Guard): Promise<void> {
  const directory = parent.open(name);
  try {
    for (const entry of await readdir(directory.entry('.'), { withFileTypes: true })) {
      guard(directory, entry.name);
      if (entry.isDirectory()) await checkIn(directory, entry.name, guard);
    }
  } finally {
    directory.close();
  }
}

async function removeIn(parent: OpenDirectory, name: string, path: string): Promise<void> {
  const directory = parent.open(name);
  try {
    for (const entry of await readdir(directory.entry('.'), { withFileTypes: true })) {
      if (!directory.isInPlace()) throw badPath(path, 'was moved while it was being removed');
      if (entry.isDirectory()) await removeIn(directory, entry.name, path);
      else unlinkSync(directory.entry(entry.name));
    }
  } finally {
    directory.close();
  }
  rmdirSync(parent.entry(name));
}
