import { atCaller } from '../base/at-caller.ts';
import { showValue } from '../base/describe-value.ts';
import { ShallotError } from '../base/errors.ts';
import { hookNames } from '../base/hook-names.ts';
import type { JsonObject } from '../base/json.ts';
import { asStandardSchema, isStandardSchema, type JsonSchema } from '../base/schema.ts';
import { definitionFaults, idleFaults, unknownMembers } from './definition-faults.ts';
import type { Hook } from './hooks.ts';
import {
  pluginApi,
  pluginBrand,
  type PluginDefinition,
  type PluginSetup,
  type CompleteDefinition,
  type Plugin,
  type PluginFactory,
} from './plugin.ts';
import { checkPriority } from './priority.ts';

/**
 * Defines a plugin and returns its factory.
 * @throws `PLUGIN_INVALID` when the definition is malformed, `PRIORITY_RANGE`
 */
export function definePlugin(definition: JsonSchemaDefinition): PluginFactory<JsonObject>;
export function definePlugin<Options = unknown, Input = undefined>(
  definition: PluginDefinition<Options, Input>,
): PluginFactory<Input>;
export function definePlugin<Options, Input>(
  definition: PluginDefinition<Options, Input> | JsonSchemaDefinition,
): PluginFactory<Input> {
  // Copied, so that later changes of the object have no effect, and inherited members do not count.
  const own = { ...definition };
  atCaller(definePlugin, () => checkDefinition(own));
  const { options: schema } = own;
  const options = schema === undefined || isStandardSchema(schema) ? schema : asStandardSchema(schema);
  const members = new Set<string>(['tools', ...hookNames]);
  // Type parameters are erased: the schema validates options before `setup` receives them.
  const erased = Object.freeze({
    ...Object.fromEntries(Object.entries(own).filter(([key]) => !members.has(key))),
    ...(options && { options }),
    setup: setupOf(own as PluginDefinition),
  }) as unknown as CompleteDefinition;
  const factory = (given?: Input): Plugin =>
    Object.freeze({
      [pluginBrand]: true as const,
      definition: erased,
      madeWith: pluginApi,
      madeIn: import.meta.url,
      options: given,
    });
  // Options may be omitted if `Input` allows it, which only the types express.
  return Object.assign(factory, { definition: erased }) as PluginFactory<Input>;
}

/** A definition with options described by a plain JSON Schema; `setup` receives the validated options. */
type JsonSchemaDefinition = Omit<PluginDefinition<JsonObject>, 'options'> & { readonly options: JsonSchema };

function checkDefinition(definition: object): void {
  const { name, priority }: Partial<PluginDefinition> = definition;
  const unknown = unknownMembers(definition);
  const faults = [...definitionFaults(definition), ...unknown, ...idleFaults(definition, unknown)];
  const plugin = typeof name === 'string' ? name : showValue(name);
  if (faults.length > 0) {
    const list =
      faults.length === 1 ? ` ${faults.join('')}` : faults.map((fault) => `\n    ${fault}`).join('');
    const message = `The plugin definition of "${plugin}" is not valid:${list}${/[?]$/.test(list) ? '' : '.'}`;
    throw new ShallotError('PLUGIN_INVALID', { message, plugin });
  }
  if (priority !== undefined) checkPriority(priority, plugin);
}

/**
 * Returns a single `setup` for a definition: it taps the hooks under their names, adds the tools, and calls the
 * definition's `setup`. Hosts, including those of other copies of the core, need to know only this form.
 */
function setupOf<Options>(
  definition: PluginDefinition<Options>,
): (plugin: PluginSetup<Options>) => void | Promise<void> {
  return (plugin) => {
    for (const hook of hookNames) {
      const member = definition[hook];
      // The member and the tap have the same type from `HookFunctions`.
      if (member !== undefined)
        (plugin.hooks[hook] as Hook<never, never>).tap(hook, member.bind(definition) as never);
    }
    if (definition.tools !== undefined) plugin.tools.add(definition.tools);
    return definition.setup?.(plugin);
  };
}
