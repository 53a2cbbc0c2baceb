/** The extensions of config files, and their formats. */
export const configFormats = {
  '.yaml': 'yaml',
  '.yml': 'yaml',
  '': 'yaml',
  '.json': 'json',
  '.ts': 'module',
  '.mts': 'module',
  '.js': 'module',
  '.mjs': 'module',
} as const;
