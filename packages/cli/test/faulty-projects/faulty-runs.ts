import { config, pluginFile, toolFile, withPlugin, modelFile, type FaultyProject } from './faulty-project.ts';

const entry = 'shallot.config.yaml:3:10';
const args = ['run', 'hi'];

/** Returns a project with a plugin whose bug shows only in a run. */
function inRun(fault: string, body: string, fix: string, code = 'PLUGIN_FAILED', at = entry): FaultyProject {
  const files = { ...withPlugin(pluginFile(body)), 't.mjs': toolFile('t') };
  const yaml = 'model: ./model.mjs\nplugins:\n  - use: ./p.mjs\ntools: [./t.mjs]\nhookTimeoutMs: 300\n';
  return {
    fault,
    files: { ...files, 'shallot.config.yaml': yaml },
    args,
    status: 1,
    code,
    plugin: 'p',
    at,
    fix,
    obey: { files: { 'p.mjs': pluginFile('') } },
  };
}

const hooks: readonly FaultyProject[] = [
  inRun('beforeAgent throws', "hooks.beforeAgent.tap('x', () => { throw new Error('no tea'); });", 'no tea'),
  inRun('beforeModel throws', "hooks.beforeModel.tap('x', () => { throw new Error('no tea'); });", 'no tea'),
  inRun(
    'wrapModelCall throws',
    "hooks.wrapModelCall.tap('x', () => { throw new Error('no tea'); });",
    'no tea',
  ),
  inRun('afterModel throws', "hooks.afterModel.tap('x', () => { throw new Error('no tea'); });", 'no tea'),
  inRun(
    'wrapToolCall throws',
    "hooks.wrapToolCall.tap('x', () => { throw new Error('no tea'); });",
    'no tea',
  ),
  {
    ...inRun(
      'afterAgent throws',
      "hooks.afterAgent.tap('x', () => { throw new Error('no tea'); });",
      'no tea',
    ),
    status: 0,
  },
  inRun(
    'a hook reads a member of undefined',
    "hooks.beforeModel.tap('x', (request) => request.nope.length);",
    'Cannot read properties of undefined',
  ),
  inRun(
    'a hook throws nothing',
    "hooks.beforeModel.tap('x', () => { throw undefined; });",
    'beforeModel of the plugin p',
  ),
  inRun('beforeModel returns junk', "hooks.beforeModel.tap('x', () => 5);", 'beforeModel', 'HOOK_RESULT'),
  inRun(
    'wrapModelCall returns junk',
    "hooks.wrapModelCall.tap('x', () => 'hi');",
    'wrapModelCall',
    'HOOK_RESULT',
  ),
  inRun(
    'wrapModelCall forgets to return',
    "hooks.wrapModelCall.tapPromise('x', async (request, next) => { await next(request); });",
    'wrapModelCall',
    'HOOK_RESULT',
  ),
  inRun('wrapToolCall returns junk', "hooks.wrapToolCall.tap('x', () => 5);", 'wrapToolCall', 'HOOK_RESULT'),
  inRun(
    'tapPromise gets no promise',
    "hooks.beforeModel.tapPromise('x', () => undefined);",
    'promise',
    'HOOK_RESULT',
  ),
  inRun(
    'a hook never settles',
    "hooks.beforeModel.tapPromise('x', () => new Promise((resolve) => setTimeout(resolve, 60_000)));",
    'hookTimeoutMs',
    'HOOK_TIMEOUT',
  ),
  inRun(
    'state that is no JSON',
    "const seen = state({ key: 's', initial: () => 0 }); hooks.beforeModel.tap('x', (_, run) => { seen.set(run, new Map()); });",
    'Map',
    'VALUE_NOT_JSON',
  ),
  inRun(
    'an interceptor throws',
    "hooks.beforeModel.intercept({ call() { throw new Error('no tea'); } }); hooks.beforeModel.tap('x', () => {});",
    'no tea',
    'HOOK_INTERCEPTOR',
    'p.mjs:5:',
  ),
  inRun(
    'a rejection is left alone',
    "hooks.beforeModel.tap('x', () => { Promise.reject(new Error('no tea')); return new Promise((resolve) => setTimeout(resolve, 100)); });",
    'no tea',
    'UNCAUGHT',
    'p.mjs:5:',
  ),
  inRun(
    'a timer throws',
    "hooks.beforeModel.tap('x', () => { setTimeout(() => { throw new Error('no tea'); }, 5); return new Promise((resolve) => setTimeout(resolve, 100)); });",
    'no tea',
    'UNCAUGHT',
    'p.mjs:5:',
  ),
  inRun(
    'a hook leaves',
    "hooks.beforeModel.tap('x', () => process.exit(0));",
    'process.exit',
    'UNCAUGHT',
    'p.mjs:5:',
  ),
  inRun('aroundRun does not call next', 'aroundRun(() => Promise.resolve());', 'next', 'PLUGIN_FAILED'),
];

const others: readonly FaultyProject[] = [
  {
    fault: 'the model throws',
    files: {
      ...config(''),
      'model.mjs': 'export default { id: "m", async generate() {\n  throw new Error("no tea");\n} };',
    },
    args,
    status: 1,
    code: 'MODEL_FAILED',
    at: 'model.mjs:2:9',
    fix: 'no tea',
    obey: { files: { 'model.mjs': modelFile } },
  },
  {
    fault: 'the model returns junk',
    files: { ...config(''), 'model.mjs': 'export default { id: "m", generate: async () => "hi" };' },
    args,
    status: 1,
    code: 'MODEL_RESPONSE',
    at: 'shallot.config.yaml:1:8',
    fix: 'response',
    obey: { files: { 'model.mjs': modelFile } },
  },
  {
    fault: 'a tool throws where that ends the run',
    files: {
      ...config('tools: [./t.mjs]\ntoolErrors: throw\n'),
      't.mjs': toolFile('t', "() => {\n  throw new Error('no tea');\n}"),
    },
    args,
    status: 1,
    code: 'TOOL_FAILED',
    at: 't.mjs:3:9',
    fix: 'no tea',
    obey: { files: { 't.mjs': toolFile('t') } },
  },
  {
    fault: 'a session that is not there',
    files: config(''),
    args: ['resume', 'nope'],
    code: 'SESSION_NOT_FOUND',
    fix: 'nope',
    obey: { files: {}, args: ['sessions'] },
  },
];

export const faultyRuns: readonly FaultyProject[] = [...hooks, ...others];
