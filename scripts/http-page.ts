import type { Route } from '../packages/server/src/http/route.ts';
import { routes } from '../packages/server/src/http/routes.ts';
import { markdownTable } from './markdown-table.ts';

/** Returns the page of the HTTP API with tables generated from the routes. */
export function httpPage(page: string): string {
  const all = Object.values<Route>(routes);
  const list = markdownTable(
    ['request', 'what it does', 'right'],
    all.map(({ method, path, about, right }) => [`\`${method} ${path}\``, about, right]),
  );
  const details = all.map(describe).filter((text) => text !== '');
  return page.replace(
    /(<!-- routes -->\n).*(\n<!-- end -->)/s,
    (_, start: string, end: string) => `${start}\n${[list, ...details].join('\n\n')}\n${end}`,
  );
}

function describe(route: Route): string {
  const { method, path, query = {}, body = {}, headers = {}, answer, events, problems = [] } = route;
  const rows = [
    ...Object.entries(headers).map(([name, about]) => [`\`${name}\``, 'header', about]),
    ...Object.entries(query).map(([name, option]) => [`\`${name}\``, 'query', meaningOf(option)]),
    ...Object.entries(body).map(([name, option]) => [`\`${name}\``, 'body', meaningOf(option)]),
  ];
  const shape = answer.shape && Object.keys(answer.shape).map((name) => `\`${name}\``);
  const members = shape === undefined ? '' : ` Members: ${shape.join(', ')}.`;
  return [
    `### ${method} ${path}`,
    ...(rows.length === 0 ? [] : [markdownTable(['name', 'in', 'meaning'], rows)]),
    `Answers ${answer.status}: ${answer.about}${members}`,
    ...(events === undefined || method === 'GET'
      ? []
      : [`With \`Accept: text/event-stream\`: ${lowered(events)}`]),
    ...(problems.length === 0 ? [] : [`Problems: ${problems.map((code) => `\`${code}\``).join(', ')}.`]),
  ].join('\n\n');
}

function meaningOf({ what, json, presence, fallback }: NonNullable<Route['body']>[string]): string {
  const about = json?.['description'];
  const isNeeded = presence === 'required' ? 'required' : undefined;
  const isDefault = presence === 'default' ? `default ${JSON.stringify(fallback)}` : undefined;
  const expected = [what, isNeeded ?? isDefault].filter((part) => part !== undefined).join('; ');
  return typeof about === 'string' ? `${about} (${expected})` : expected;
}

function lowered(sentence: string): string {
  return sentence.charAt(0).toLowerCase() + sentence.slice(1);
}
