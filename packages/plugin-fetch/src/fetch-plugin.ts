import { definePlugin } from '@shallot/core';
import { callMatcherKey, permissionEvaluatorKey } from '@shallot/core/plugin';

import manifest from '../package.json' with { type: 'json' };
import { fetchTool } from './fetch-tool.ts';
import { fetchOptions } from './options.ts';
import { urlMatcher } from './url-matcher.ts';

/**
 * Gives the model a tool that fetches web pages as Markdown. Private addresses are refused after names are resolved,
 * and the connection is made to the very address that was checked.
 */
export const fetchPlugin = definePlugin({
  name: 'fetch',
  version: manifest.version,
  api: manifest.shallot.api,
  priority: 43,
  options: fetchOptions,
  setup({ id, options, tools, env, provide, use }) {
    tools.add(fetchTool(options, env, { permissions: () => use(permissionEvaluatorKey) }));
    provide(callMatcherKey(id), urlMatcher(options.toolName));
  },
});
