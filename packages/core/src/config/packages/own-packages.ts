/** The kinds of modules that a name in a config may refer to. */
export type PackageKind = 'plugin' | 'store' | 'model' | 'tools' | 'config' | 'files' | 'queue' | 'context';

/** The packages of this project, by kind. Install commands suggest no others. */
export const ownPackages: Readonly<Record<PackageKind, readonly string[]>> = {
  plugin: [
    '@shallot/plugin-ask-user',
    '@shallot/plugin-context-editing',
    '@shallot/plugin-fetch',
    '@shallot/plugin-filesystem',
    '@shallot/plugin-guard',
    '@shallot/plugin-hitl',
    '@shallot/plugin-hooks',
    '@shallot/plugin-limits',
    '@shallot/plugin-mcp',
    '@shallot/plugin-memory',
    '@shallot/plugin-prompt-caching',
    '@shallot/plugin-redaction',
    '@shallot/plugin-repair',
    '@shallot/plugin-resilience',
    '@shallot/plugin-shell',
    '@shallot/plugin-skills',
    '@shallot/plugin-subagents',
    '@shallot/plugin-summarization',
    '@shallot/plugin-telemetry',
    '@shallot/plugin-todo',
    '@shallot/plugin-toolset',
  ],
  store: ['@shallot/store-postgres'],
  model: ['@shallot/model-ai-sdk'],
  tools: [],
  config: [],
  files: ['@shallot/store-postgres/files'],
  queue: ['@shallot/store-postgres/queue'],
  context: [],
};
