import { definePlugin } from '@shallot/core';

import manifest from '../package.json' with { type: 'json' };
import { fetchTool } from './fetch-tool.ts';
import { fetchOptions } from './options.ts';

/**
 * Gives the model a tool that fetches web pages as Markdown. Private addresses are refused after a name was resolved, and
 * the address that was checked is the one that is connected to.
 */
export const fetchPlugin = definePlugin({
  name: 'fetch',
  version: manifest.version,
  api: manifest.shallot.api,
  priority: 43,
  options: fetchOptions,
  setup({ options, tools, env }) {
    tools.add(fetchTool(options, env));
  },
});
