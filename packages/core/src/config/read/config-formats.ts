/** The endings that a config file may have, and the formats that they stand for. */
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
