/** The meaning of a finding's code, and its fix; without one, the message of the finding says what to do. */
export interface FindingKind {
  readonly means: string;
  readonly fix?: string;
  /** True for a state that may be intended: people should know about it, but it is not counted as wrong. */
  readonly isNote?: boolean;
}

/** The known findings of `shallot doctor`, root causes first. Within a level, findings are listed in this order. */
export const findingTable: Readonly<Record<string, FindingKind>> = {
  CHANGE_UNFINISHED: {
    means: 'A change by `add`, `remove` or `upgrade` was cut off.',
    fix: 'Run the command again: it first restores the files.',
  },
  CONFIG_NOT_FOUND: {
    means: 'There is no config file, or it cannot be read.',
    fix: 'Run `shallot init`, or name the file with --config.',
  },
  CONFIG_FOREIGN: {
    means: 'The config found belongs to another user.',
    fix: 'Name it with --config if you trust it.',
  },
  FILE_CHANGED: {
    means: 'Files that the agent is loaded from changed while one of its sessions ran.',
    fix: 'Look at them, then start the agent on a terminal, which asks.',
  },
  CONFIG_AMBIGUOUS: { means: 'A directory holds several configs.', fix: 'Keep one of them.' },
  PACKAGE_SYNTAX: {
    means: 'The package.json of the project cannot be parsed, so nothing can be installed.',
  },
  CONFIG_SYNTAX: { means: 'The config cannot be parsed.', fix: 'Fix the text at this place.' },
  CONFIG_FAILED: { means: 'The code of the config threw.', fix: 'Fix the code at this place.' },
  CONFIG_CYCLE: { means: 'Configs extend each other in a cycle.', fix: 'Remove one of these `extends`.' },
  CONFIG_ENV: {
    means: 'A variable of the environment is not set.',
    fix: 'Set it, in .env for example, or write a default.',
  },
  CONFIG_INVALID: {
    means: 'A key is unknown, a value is not allowed, or a secret is written out.',
    fix: 'Fix the key or value; take secrets from the environment with { $env: NAME }.',
  },
  PRIORITY_RANGE: { means: 'A priority is not from 0 to 100.' },
  MODULE_NOT_FOUND: {
    means: 'A plugin, model, tool or file that the config names is missing.',
  },
  MODULE_AMBIGUOUS: {
    means: 'A short name means several installed packages.',
  },
  PLUGIN_INCOMPATIBLE: {
    means: 'A plugin was written for another version of the plugin API.',
    fix: 'Install a version that fits: shallot upgrade.',
  },
  ESBUILD_MISSING: {
    means: 'A TypeScript file needs esbuild.',
  },
  MODULE_FAILED: {
    means: 'A module threw when it was imported, or was not ready in time.',
    fix: 'Fix the code at this place, or install another version of the package.',
  },
  MODULE_INVALID: {
    means: 'A module does not export what is needed.',
    fix: 'Fix its default export, or name another module.',
  },
  PLUGIN_INVALID: {
    means: 'The definition of a plugin is not valid, or contradicts its package.json.',
    fix: 'Fix the definition, or install another version of the plugin.',
  },
  PLUGIN_DUPLICATE: { means: 'Two plugins have one id.', fix: 'Give one of the entries an id of its own.' },
  PLUGIN_CONFLICT: { means: 'Two plugins exclude each other.', fix: 'Remove one of them.' },
  PLUGIN_OPTIONS: { means: 'Options of a plugin are not valid.', fix: 'Fix the option at this place.' },
  ORDER_CYCLE: {
    means: 'The edges of some plugins contradict each other.',
    fix: 'Remove one of these `outside` or `inside`.',
  },
  TOOL_INVALID: { means: 'The definition of a tool is not valid.', fix: 'Fix the definition.' },
  TOOL_DUPLICATE: { means: 'Two tools have one name.' },
  SERVICE_DUPLICATE: { means: 'Two plugins provide one service.' },
  OPTION_INVALID: { means: 'A plugin or the config uses an invalid option.' },
  MODEL_AUTH: {
    means: 'The key of the provider is missing.',
  },
  PRICES_MISSING: {
    means: 'Prices are asked for that are not installed.',
  },
  PLUGIN_SETUP_FAILED: {
    means: 'The `setup` of a plugin threw.',
  },
  PLUGIN_START_FAILED: {
    means: 'The start of a plugin failed.',
  },
  PLUGIN_REQUIRES: {
    means: 'A plugin needs another one that is missing, or has another version.',
    fix: 'Add that plugin, or remove the one that needs it.',
  },
  PLUGIN_STOP_FAILED: { means: 'The end of a plugin failed.', fix: 'Fix its onStop.' },
  CORE_DUPLICATE: {
    means: 'There are several copies of the core. They work together, but take room, and may differ.',
    fix: 'Install the plugin or the command with the core as a peer, in versions that fit one copy.',
  },
  PLUGIN_PEER: {
    means: 'A peer dependency of a plugin is missing, or in another version.',
    fix: 'Install a version in the range that the message names.',
  },
  PLUGIN_API_OPEN: {
    means:
      'The plugin API range of a plugin has no upper bound, so later cores will load it whatever changes.',
    fix: 'Ask its author for a range such as ^1.0.0, or install a version that has one.',
  },
  PLUGIN_UNLISTED: {
    means: 'A plugin is only there because another package depends on it.',
  },
  PLUGIN_UNUSED: {
    means: 'A plugin is installed, and the config does not list it.',
    isNote: true,
  },
  CONFIG_SKIPPED: {
    means: 'A file has nearly the name of a config, and is not read.',
    fix: 'Rename it, or remove it.',
  },
  CONFIG_UNUSED: { means: 'A value of the config has no effect.', fix: 'Fix it, or remove it.' },
  ORDER_TARGET: {
    means: 'An edge names a plugin that the agent does not have.',
    fix: 'Fix the name, or remove the edge.',
  },
  FILE_NOT_FOUND: { means: 'The directory of `files` does not exist.', fix: 'Make it, or fix the path.' },
  FILE_UNLOCKED: {
    means: 'The config opens files that decide over the agent, or that other programs execute.',
    fix: 'Remove from `unlock` what tools need not use.',
    isNote: true,
  },
  PLUGIN_NOTE: {
    means: 'The options of a plugin open something that one should know of.',
    fix: 'Change the option that it names, if this is not wanted.',
    isNote: true,
  },
  PERMISSION_UNUSED: {
    means: 'A rule of the permissions never decides: no tool fits it, or another rule comes before it.',
    fix: 'Fix the rule, or remove it.',
  },
  PERMISSION_WIDE: {
    means: 'A rule of the permissions allows more than it seems to.',
    fix: 'Write a narrower rule if you did not mean that.',
    isNote: true,
  },
  TOOL_UNAPPROVED: {
    means:
      'Tools can change things (their effect is not `read`), and no plugin asks a person about their calls.',
    fix: 'Add @shallot/plugin-hitl, and `permissions` that say which calls need no question.',
    isNote: true,
  },
  'mcp/NO_SERVERS': {
    means: 'The plugin `mcp` is listed, and has no server.',
    fix: 'Name one under `servers`, or a file in `mcpJson`.',
    isNote: true,
  },
  MODEL_OFFLINE: {
    means: 'The model is the built-in one, which asks no provider.',
    isNote: true,
  },
};
