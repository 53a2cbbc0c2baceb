import { ShallotError } from '../base/errors.ts';
import type { LoadedConfig } from './load-config.ts';

/**
 * Returns an error for a server that other machines can reach without tokens: everybody would be its operator, so it does
 * not start.
 */
export function openToAll({ config: { serve }, path, origin }: LoadedConfig): ShallotError[] {
  const { host, tokens } = serve ?? {};
  if (host === undefined || tokens !== undefined || isLoopback(host)) return [];
  const { from, ...place } = origin(['serve', 'host']);
  const at = from === 'default' || !('at' in place) ? { file: path } : place.at;
  return [
    new ShallotError('CONFIG_INVALID', {
      message: `serve.host is ${JSON.stringify(host)}, and without serve.tokens everybody who reaches the server would be its operator: \`shallot serve\` does not start. Write \`tokens: [{ $env: NAME }]\`, or remove the host.`,
      at,
    }),
  ];
}

function isLoopback(host: string): boolean {
  return /^(?:localhost|127(?:\.\d{1,3}){3}|::1)$/i.test(host);
}
