import { pluginModule, publishPlugin, type TestRegistry } from './registry.ts';

const entry = { options: { url: 'https://a.example', tags: ['x', 'y'] } };
const schema = `{ '~standard': { version: 1, vendor: 't', validate: (value) => (value?.url ? { value } : { issues: [{ message: 'it is missing', path: ['url'] }] }), jsonSchema: { input: () => ({ type: 'object', properties: { url: {}, tags: {} }, required: ['url'] }) } } }`;
const needsUrl = pluginModule('mail', `options: ${schema},`);

/** Publishes a plugin that requires an option `url`. Its manifest proposes a config entry. */
export function publishMail(registry: TestRegistry, proposal: unknown = entry): void {
  publishPlugin(registry, 'shallot-plugin-mail', '1.0.0', {
    module: needsUrl,
    manifest: { shallot: { plugin: 'mail', api: '^1.0.0', entry: proposal } },
  });
}
