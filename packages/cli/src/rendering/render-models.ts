import type { CheckedModel, ListedModel, ListedProvider } from '@shallot/model-ai-sdk/list';

import { count } from '../terminal/count.ts';
import { dollars } from '../terminal/dollars.ts';
import type { Paint, Screen } from '../terminal/screen.ts';
import { visibleLine } from '../terminal/visible.ts';

type Provider = ListedProvider & { readonly isInstalled: boolean };

/** Renders the providers: first those that can be used now, then those that lack something. */
export function renderProviders(
  providers: readonly Provider[],
  current: string | undefined,
  { bold, dim, green }: Paint,
): string {
  const isReady = ({ isInstalled, key }: Provider): boolean => isInstalled && key !== 'missing';
  const rows = providers.toSorted((one, other) => Number(isReady(other)) - Number(isReady(one)));
  const table = columns(
    rows.map((each) => [
      each.provider,
      each.isInstalled ? 'installed' : 'not installed',
      { found: 'key found', missing: 'no key', none: 'needs no key' }[each.key],
      each.isInstalled
        ? each.missing === undefined
          ? ''
          : shortened(each.missing)
        : `install ${each.package}`,
    ]),
  );
  const lines = table.map((line, index) => {
    const row = rows[index];
    return row !== undefined && isReady(row) ? green(line) : dim(line);
  });
  const model = current === undefined ? [] : [`${bold('model of the config:')} ${visibleLine(current)}`, ''];
  return [...model, ...lines, '', dim('shallot models PROVIDER lists the models of one.')].join('\n');
}

/** Returns a message without the sentence that names the missing setting. The sentences after it say what to do. */
function shortened(message: string): string {
  return message.replace(/^The (?:model|provider) "[^"]*" needs a [a-zA-Z]+\. /, '');
}

export function renderModels(provider: string, models: readonly ListedModel[], { bold }: Paint): string {
  const [head = '', ...lines] = columns([
    ['model', 'context', 'in, out per million', 'abilities'],
    ...models.map(({ model, contextTokens, price, abilities = [] }) => [
      visibleLine(`${provider}/${model}`),
      contextTokens === undefined ? '' : contextTokens.toLocaleString('en'),
      price === undefined ? '' : `${dollars(price.input)}, ${dollars(price.output)}`,
      abilities.join(', '),
    ]),
  ]);
  return [bold(head), ...lines].join('\n');
}

export function renderCheck(checked: CheckedModel, screen: Screen): string {
  const { model, isUsable, text = '', finish = '', ms = 0, usage, response, warnings = [], error } = checked;
  const { bold, green, red, dim } = screen.paint;
  const name = visibleLine(model);
  // The place in the provider's package that threw does not help to find a wrong key, so it is not shown.
  if (!isUsable)
    return `${red('✗')} ${name}: ${bold(error?.code ?? '')}: ${screen.redactor.text(error?.message ?? '')}`;
  const facts = [
    `${(ms / 1000).toFixed(1)} s`,
    usage === undefined ? 'no usage reported' : count(usage.total, 'token'),
    response?.model === undefined ? '' : `answered by ${visibleLine(response.model)}`,
    response?.serviceTier === undefined ? '' : `tier ${visibleLine(response.serviceTier)}`,
    ...Object.entries(response?.rateLimits ?? {}).map(([of, { limit, remaining }]) =>
      limit === undefined || remaining === undefined
        ? ''
        : `${remaining} of ${limit} ${visibleLine(of)} left`,
    ),
    finish === 'stop' ? '' : `ended by ${finish}`,
  ].filter((fact) => fact !== '');
  const said = text.trim() === '' ? 'it answered without text' : JSON.stringify(visibleLine(text.trim()));
  return [
    `${green('✓')} ${name}: ${said}`,
    dim(`  ${facts.join(', ')}`),
    ...warnings.map((warning) => dim(`  warning: ${visibleLine(warning)}`)),
  ].join('\n');
}

function columns(rows: readonly (readonly string[])[]): readonly string[] {
  const widths = (rows[0] ?? []).map((_, column) =>
    rows.reduce((width, row) => Math.max(width, row[column]?.length ?? 0), 0),
  );
  return rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
}
