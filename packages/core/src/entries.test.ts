import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { expect, it } from 'vitest';

import { commandApi } from './command-api.ts';

/** Each entry of the package, with the names that it exports, types included, as they were recorded. */
function recordedEntries(): Map<string, readonly string[]> {
  const recorded = readFileSync(join(import.meta.dirname, '..', 'public-api.txt'), 'utf8');
  const entries = recorded.matchAll(/^\/\/ (@shallot\/core\S*)\nexport \{([^}]*)\}/gm);
  return new Map(
    Array.from(entries, ([, entry = '', names = '']) => [entry, names.match(/[\w$]+/g) ?? []] as const),
  );
}

it('exports each name from one entry', () => {
  const names = [...recordedEntries().values()].flat();
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
});

it('has less than 60 names in its root, which is for programs', () => {
  const root = recordedEntries().get('@shallot/core') ?? [];
  expect(root).toContain('createAgent');
  expect(root.length).toBeLessThan(60);
});

/** Names of `/plugin` for one kind of plugin each, which others need not know. */
const special: Readonly<Record<string, readonly string[]>> = {
  'an approval plugin, which evaluates permissions': [
    'Always',
    'ApprovalDetails',
    'KeptRules',
    'PermissionEvaluator',
    'PermissionFiles',
    'PermissionMode',
    'PermissionVerdict',
    'Permissions',
    'PersonRules',
    'RuleDoubt',
    'RuleInForce',
    'RuleList',
    'keepScopes',
    'permissionEvaluatorKey',
    'permissionModes',
    'ruleLists',
    'isApproved',
    'withApproval',
    'withRelease',
    'withTouches',
  ],
  'a plugin whose tools permissions have arguments for': [
    'CallMatcher',
    'OwnRules',
    'PermissionRule',
    'Release',
    'ToolNaming',
    'Touch',
    'callMatcherKey',
    'parsePermissionRule',
    'releaseOf',
    'touchesOf',
  ],
  'a plugin that follows rules about calls': [
    'CallToRead',
    'ReadCall',
    'argumentPattern',
    'coversPart',
    'coversTouch',
    'coversWhole',
    'readCall',
  ],
  'a plugin that shortens conversations': [
    'Shortening',
    'Size',
    'TokenSize',
    'keptFilesOf',
    'shorteningKey',
    'sizeOption',
    'tokenSizeOption',
    'tokensOfSize',
  ],
  'a plugin that counts or keeps something for a run and its children': ['rootOf'],
  'a plugin whose tools run children': [
    'Address',
    'BackgroundChild',
    'CallAddress',
    'ChildAgent',
    'modelSettings',
  ],
  'a plugin that gives skills to models': ['SkillTexts', 'skillTextsKey'],
  'a plugin that reads files written for Claude Code': [
    'ForeignTool',
    'foreignName',
    'foreignTools',
    'isOnlyForeign',
    'toolsHere',
  ],
  'a plugin that reads whole conversations': ['GrowingMessages', 'eachInTicks'],
  'a plugin that redacts what others store and show': ['RedactionService', 'redactionKey'],
  'a plugin that keeps a key for what it seals': ['keptKey'],
  'a plugin that changes the text of answers': [
    'TextLayer',
    'TextMapping',
    'TextStage',
    'TextUnit',
    'mapText',
  ],
  'a plugin whose tools take paths': ['belowRoot', 'fullPath', 'rootedPath'],
  'a plugin whose tools cut their results': ['cutResult'],
  'a plugin whose tools are those of servers': ['toolServersKey'],
  'a plugin that executes elsewhere': [
    'UnknownEffect',
    'UnknownEffectAnswer',
    'unknownEffect',
    'unknownResultText',
  ],
};

it('has at most 90 names for every plugin, and 11 for programs that load a config', () => {
  const entries = recordedEntries();
  const names = entries.get('@shallot/core/plugin') ?? [];
  const apart = Object.values(special).flat();
  expect(apart.filter((name) => !names.includes(name))).toEqual([]);
  expect(names.length - apart.length).toBeLessThanOrEqual(90);
  expect(entries.get('@shallot/core/config')?.length).toBeLessThanOrEqual(11);
});

it('has an entry for each reader', () => {
  expect([...recordedEntries().keys()]).toEqual(
    ['', '/command', '/config', '/files', '/model', '/plugin', '/sqlite', '/store', '/testing', '/work'].map(
      (path) => `@shallot/core${path}`,
    ),
  );
});

it('says to the command which version of its entry it has', () => {
  // A command of an earlier version fails with a core of a later one: raise it only for a change that breaks the command.
  expect(commandApi).toBe(1);
});
