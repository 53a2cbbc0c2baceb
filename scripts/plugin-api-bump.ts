/** How much of a version of the plugin API a change of its declarations needs, and which names are the reason. */
export interface NeededBump {
  readonly kind: 'none' | 'minor' | 'major';
  readonly names: readonly string[];
}

/**
 * Types that plugins and their packages implement: a new required member breaks those that do not have it. The core provides all
 * others, and may add members.
 */
const implemented: ReadonlySet<string> = new Set([
  'ChatModel',
  'Files',
  'ModelResponse',
  'Plugin',
  'PluginDefinition',
  'StateSpec',
  'Store',
  'Tool',
  'ToolDefinition',
  'ToolResult',
  'UserCommands',
]);

/** The record of a plugin API: its version in the first line, then its declarations. */
export function pluginApiRecord(version: string, declarations: string): string {
  return `// plugin API ${version}\n\n${declarations}`;
}

/** Returns the fault of a plugin API compared with the last released one, by their records; undefined if it has none. */
export function recordFault(released: string, current: string): string | undefined {
  return bumpFault(versionOf(released), versionOf(current), neededBump(released, current));
}

function versionOf(record: string): string {
  const version = /^\/\/ plugin API (\d+\.\d+\.\d+)\n/.exec(record)?.[1];
  if (version === undefined) throw new Error('a record of the plugin API has no version in its first line');
  return version;
}

/** Compares two texts of `publicApi`. */
export function neededBump(before: string, after: string): NeededBump {
  const [old, now] = [declarationsIn(before), declarationsIn(after)];
  const broken = [...old].flatMap(([name, text]) => {
    const next = now.get(name);
    return next !== undefined && (next === text || grows(name, text, next)) ? [] : [name];
  });
  if (broken.length > 0) return { kind: 'major', names: broken };
  const changed = [...now].flatMap(([name, text]) => (old.get(name) === text ? [] : [name]));
  return { kind: changed.length === 0 ? 'none' : 'minor', names: changed };
}

/** The exports of each entry, a line each, and each declaration by its name. */
function declarationsIn(api: string): Map<string, string> {
  const found = new Map<string, string>();
  const declarations = api.replace(/^\/\/ plugin API .*\n/, '').trim();
  for (const section of declarations.split(/\n\n(?=export |declare |\/\/ )/)) {
    const entry = /^\/\/ (\S+)\nexport \{\n([^]*)\n\};$/.exec(section);
    if (entry === null) {
      const name = /^(?:export )?(?:declare )?(?:abstract )?\w+ (\w+)/.exec(section)?.[1] ?? section;
      // Overloads, and private names that several files have, count as one.
      found.set(name, `${found.get(name) ?? ''}${section}\n`);
      continue;
    }
    const [, path = '', names = ''] = entry;
    for (const name of names.split(',')) if (/\S/.test(name)) found.set(`${path}: ${name.trim()}`, '');
  }
  return found;
}

/** Returns whether all lines are still there in their order, and those between them take nothing away. */
function grows(name: string, before: string, after: string): boolean {
  if (!/^(?:export )?(?:interface|declare (?:class|const))\b/.test(before)) return false;
  const left = before.split('\n');
  const added: string[] = [];
  for (const line of after.split('\n')) {
    if (line === left[0]) left.shift();
    else added.push(line);
  }
  if (left.length > 0) return false;
  return (
    !implemented.has(name) ||
    added.every((line) => /^ +(?:readonly )?\w+\?(?::|\()/.test(line) || /^ {5,}/.test(line))
  );
}

/** Returns the fault of a plugin API version, given the one before and the change of declarations; undefined if it has none. */
function bumpFault(before: string, after: string, { kind, names }: NeededBump): string | undefined {
  const [old, now] = [before, after].map((version) => version.split('.').map(Number));
  const [oldMajor = 0, oldMinor = 0] = old ?? [];
  const [major = 0, minor = 0] = now ?? [];
  const isMajor = major > oldMajor;
  const isEnough = kind === 'none' || isMajor || (kind === 'minor' && major === oldMajor && minor > oldMinor);
  if (isEnough) return undefined;
  const next = kind === 'major' ? `${oldMajor + 1}.0.0` : `${oldMajor}.${oldMinor + 1}.0`;
  const what = kind === 'major' ? 'changed or removed' : 'added to';
  const more =
    kind === 'major' ? ', and say in the table of plugins/dropped.ts what authors write instead' : '';
  return `The plugin API ${before} was released, and is ${what} without a new version: ${names.slice(0, 10).join(', ')}. Raise pluginApi to ${next}${more}.`;
}
