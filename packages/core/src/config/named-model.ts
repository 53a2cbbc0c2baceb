import { isObject } from '../base/is-object.ts';
import type { ChatModel, ModelName } from '../contract/model.ts';
import { checkConfig } from './check/check-config.ts';
import type { Config, PluginConfigEntry } from './check/config.ts';
import type { Environment } from './load-config.ts';
import type { ConfigPath, Mention } from './modules/locate.ts';
import { Problems } from './read/problems.ts';
import { resolveModel } from './resolve-model.ts';

/**
 * Creates a model that plugin options name. It is resolved like the config's `model`, from the directory of the file
 * that lists the plugin. @throws `CONFIG_INVALID`, `MODULE_NOT_FOUND`, and the errors of creating the model
 */
export async function resolveNamedModel(
  named: Exclude<ModelName, ChatModel>,
  { value: { options }, directory, locate: locateInEntry }: Mention<PluginConfigEntry>,
  env: Environment,
): Promise<ChatModel> {
  const path = pathOf(named, options);
  const locate: Mention<unknown>['locate'] = (inner = [], part) => locateInEntry([...path, ...inner], part);
  const problems = new Problems();
  const source = {
    value: { model: named },
    locate: ([, ...inner]: ConfigPath, part?: 'key' | 'value') => locate(inner, part),
  };
  const { model } = checkConfig(source, (error) => problems.add(error));
  problems.throwIfAny('A model in the options of a plugin cannot be created');
  // Validated above.
  return resolveModel({ value: model as NonNullable<Config['model']>, directory, locate }, env)();
}

/**
 * Returns the path of a model within the plugin's options, searched by value, because only the plugin knows the key.
 */
function pathOf(named: unknown, options: unknown): ConfigPath {
  if (!isObject(options)) return [];
  const key = Object.entries(options).find(([, value]) => value === named)?.[0];
  return key === undefined ? ['options'] : ['options', key];
}
