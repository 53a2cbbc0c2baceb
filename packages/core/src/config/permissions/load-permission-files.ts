import { homedir } from 'node:os';
import { join } from 'node:path';

import type { PermissionFiles, PersonRules } from '../../contract/permissions/permission-files.ts';
import { option } from '../../options/options-schema.ts';
import { permissionMode, rulesOption } from '../../options/permissions-option.ts';
import type { LoadedConfig } from '../load-config.ts';
import { openKeptRules } from './kept-rules.ts';
import { readRules } from './read-rules.ts';

const onlyNarrower = option.code('nothing: rules of a person only narrow', (_): _ is never => false);

const personOption = option.object({
  ask: rulesOption('ask'),
  deny: rulesOption('deny'),
  maxMode: permissionMode,
  allow: onlyNarrower,
  default: onlyNarrower,
});

/** Reads the user's own rules, from their home directory, and the kept rules of the project. @throws as `readRules` */
export async function loadPermissionFiles({
  directory,
  startTimeoutMs,
  merged: { unlock },
}: Pick<LoadedConfig, 'directory' | 'startTimeoutMs' | 'merged'>): Promise<PermissionFiles> {
  const own = join(homedir(), '.config', 'shallot', 'permissions.yaml');
  const [person, project] = await Promise.all([
    readRules(own, personOption, startTimeoutMs),
    openKeptRules(join(directory, '.shallot', 'permissions.yaml'), startTimeoutMs),
  ]);
  return {
    project,
    unlocked: unlock?.value ?? [],
    ...(person !== undefined && { person: toPersonRules(own, person) }),
  };
}

function toPersonRules(
  from: string,
  { ask = [], deny = [], maxMode }: Partial<Pick<PersonRules, 'ask' | 'deny' | 'maxMode'>>,
): PersonRules {
  return { from, ask, deny, maxMode };
}
