import { describe, expect, it } from 'vitest';

import { errorOf, makeProject, modelModule } from '../../test/test-project.ts';
import type { PluginConfigEntry } from './check/config.ts';
import type { ConfigPath, Mention } from './modules/locate.ts';
import { resolveNamedModel } from './named-model.ts';

/** An entry whose places are their paths. */
function entryWith(options: unknown, directory: string): Mention<PluginConfigEntry> {
  const locate = (path: ConfigPath = [], part = 'value') => ({ file: `${part} of ${path.join('.')}` });
  return { value: { use: 'a', options }, directory, locate };
}

describe('a model that options of a plugin name', () => {
  it('is made from the directory of the file that lists the plugin', async () => {
    const { directory } = makeProject({ 'model.mjs': modelModule });
    const named = { use: './model.mjs' };
    const model = await resolveNamedModel(named, entryWith({ cheap: named }, directory), {});
    expect(model.id).toBe('test/model');
    const entry = entryWith({ cheap: './model.mjs' }, directory);
    expect(await resolveNamedModel('./model.mjs', entry, {})).toMatchObject({ id: 'test/model' });
  });

  const missing = { use: './gone.mjs' };

  it.each<[string, unknown, string]>([
    ['the option that names it', { other: 'x', cheap: missing }, 'value of options.cheap'],
    ['the options, if none of them names it', { cheap: { use: './gone.mjs' } }, 'value of options'],
    ['the entry without options', undefined, 'value of '],
  ])('is blamed on %s', async (_, options, file) => {
    const error = await errorOf(resolveNamedModel(missing, entryWith(options, '/'), {}));
    expect(error).toMatchObject({ code: 'MODULE_NOT_FOUND', at: { file } });
  });

  it('is checked like the one of a config', async () => {
    const named = { use: './gone.mjs', option: {} };
    const error = await errorOf(resolveNamedModel(named, entryWith({ cheap: named }, '/'), {}));
    expect(error).toMatchObject({ code: 'CONFIG_INVALID', at: { file: 'key of options.cheap.option' } });
  });
});
