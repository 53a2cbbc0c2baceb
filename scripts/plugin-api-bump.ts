/** The part of the plugin API's version that a change of its declarations must raise, and the names that require it. */
export interface NeededBump {
  readonly kind: 'none' | 'minor' | 'major';
  readonly names: readonly string[];
}

/**
 * Types that plugins and their packages implement. A new required member breaks every implementation. All other types
 * are provided by the core, which may add members.
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

/** Returns the record of a plugin API: a line with its version, and then its declarations. */
export function pluginApiRecord(version: string, declarations: string): string {
  return `// plugin API ${version}\n\n${declarations}`;
}

/** Compares the record of a plugin API with that of the last release. Returns the fault; undefined if there is none. */
export function recordFault(released: string, current: string): string | undefined {
  return bumpFault(versionOf(released), versionOf(current), neededBump(released, current));
}

function versionOf(record: string): string {
  const version = /^\/\/ plugin API (\d+\.\d+\.\d+)\n/.exec(record)?.[1];
  if (version === undefined) throw new Error('a record of the plugin API has no version in its first line');
  return version;
}

/** Compares two texts that `publicApi` returned. Returns what their difference requires. */
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

/** Returns each declaration by its name, and an entry for each exported name. */
function declarationsIn(api: string): Map<string, string> {
  const found = new Map<string, string>();
  const declarations = api.replace(/^\/\/ plugin API .*\n/, '').trim();
  for (const section of declarations.split(/\n\n(?=export |declare |\/\/ )/)) {
    const entry = /^\/\/ (\S+)\nexport \{\n([^]*)\n\};$/.exec(section);
    if (entry === null) {
      const name = /^(?:export )?(?:declare )?(?:abstract )?\w+ (\w+)/.exec(section)?.[1] ?? section;
      // Overloads are one declaration, and so are private names that several files have.
      found.set(name, `${found.get(name) ?? ''}${section}\n`);
      continue;
    }
    const [, path = '', names = ''] = entry;
    for (const name of names.split(',')) if (/\S/.test(name)) found.set(`${path}: ${name.trim()}`, '');
  }
  return found;
}

/**
 * Returns true if all lines of `before` are still there in their order, and the lines added between them break nothing.
 */
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

/**
 * Returns the fault of a plugin API's version, given the version before and the change of declarations; undefined if
 * there is none.
 */
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
