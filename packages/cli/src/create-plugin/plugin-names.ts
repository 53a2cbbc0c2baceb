/** The names of a new plugin. */
export interface NewPluginNames {
  /** The plugin's own name, used in errors and in the order of plugins: `tickets`. */
  readonly plugin: string;
  /** The name in the registry: `shallot-plugin-tickets`, `@acme/shallot-plugin-tickets`. */
  readonly packageName: string;
  /** The name in a config: `tickets`, `@acme/tickets`. */
  readonly use: string;
  /** The variable with its factory: `tickets`, `dailyBudget`. */
  readonly variable: string;
}

/** Returns the names of a plugin from its short name or package name, or the problem with it. */
export function pluginNames(
  name: string,
  known: readonly string[],
): NewPluginNames | { readonly fault: string } {
  const [, scope = '', , plugin = ''] =
    /^(@[a-z0-9][a-z0-9._-]*\/)?(shallot-plugin-)?([^/]*)$/.exec(name) ?? [];
  if (!/^[a-z0-9][a-z0-9-]*$/.test(plugin) || plugin.length > 100) {
    const advice = 'Use lower-case letters, digits and hyphens, and perhaps a scope: tickets, @acme/tickets.';
    return { fault: `${JSON.stringify(name)} is not the name of a plugin. ${advice}` };
  }
  if (['core', 'tool'].includes(plugin)) {
    return { fault: `"${plugin}" is reserved for the core. Choose another name.` };
  }
  if (scope === '' && known.includes(plugin)) {
    const advice = `Choose another one: a config that lists "${plugin}" would mean both.`;
    return { fault: `Shallot has a plugin "${plugin}" of its own. ${advice}` };
  }
  const words = plugin.replaceAll(/-+([a-z0-9]?)/g, (_, letter: string) => letter.toUpperCase());
  const isTaken = /^\d/.test(words) || reserved.has(words);
  return {
    plugin,
    packageName: `${scope}shallot-plugin-${plugin}`,
    use: `${scope}${plugin}`,
    variable: isTaken
      ? `${/^\d/.test(words) ? 'plugin' : ''}${words}${/^\d/.test(words) ? '' : 'Plugin'}`
      : words,
  };
}

/** Reserved words, and variables used in the files. */
const reserved: ReadonlySet<string> = new Set(
  [
    'await break case catch class const continue debugger default delete do else enum export extends false finally for',
    'function if implements import in instanceof interface let new null package private protected public return static',
    'super switch this throw true try typeof var void while with yield arguments eval undefined async of',
    'definePlugin manifest option options optionsSchema',
  ]
    .join(' ')
    .split(' '),
);
