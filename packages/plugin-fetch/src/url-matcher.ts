import { fitsPattern, type CallMatcher, type Touch } from '@shallot/core/plugin';

/** Matches a pattern of addresses: a host, optionally with a scheme before it and with a port and a path after it. */
const form =
  /^(?:(?<scheme>https?):\/\/)?(?<host>\[[\da-f:.]+\]|[^\s/:?#@[\]]+)(?::(?<port>\d+))?(?<path>\/[^\s#]*)?$/i;

/** Returns the matcher by which permission rules judge calls of the tool: by the host and path that a call fetches. */
export function urlMatcher(toolName: string): CallMatcher {
  return {
    subjects: ['fetch'],
    tools: () => [toolName],
    advise: (pattern) =>
      form.test(pattern) ? undefined : 'write a host, or an address such as "https://docs.example.org/api/*"',
    within: isWithin,
    opens: (pattern) => {
      const host = form.exec(pattern)?.groups?.['host'] ?? '';
      return /\*[^.]*$|\*.*\*|^\*[^.]/.test(host) ? `anybody can have a host that "${host}" fits` : undefined;
    },
    touches: ({ input }) => {
      const given: unknown =
        typeof input === 'object' && input !== null ? Reflect.get(input, 'url') : undefined;
      const url = typeof given === 'string' ? URL.parse(given) : null;
      return url === null ? undefined : [urlTouch(url)];
    },
  };
}

function urlTouch(url: URL): Touch {
  return {
    subject: 'fetch',
    access: 'read',
    what: url.href,
    covers: (pattern, list) => covers(pattern, url, list === 'allow'),
    narrowest: url.hostname.includes('*')
      ? undefined
      : `${url.protocol === 'http:' ? 'http://' : ''}${url.host}`,
  };
}

/**
 * Returns whether a pattern covers an address; undefined if that is in doubt. An allowing pattern means https and its
 * default port unless it names others.
 */
function covers(pattern: string, url: URL, isStrict: boolean): boolean | undefined {
  const { scheme, host, port, path } = form.exec(pattern)?.groups ?? {};
  if (host === undefined) return undefined;
  const hostname = url.hostname.replace(/\.$/, '');
  if (!fitsPattern(host.toLowerCase().replace(/\.$/, ''), hostname)) return false;
  if (isStrict && url.protocol !== `${(scheme ?? 'https').toLowerCase()}:`) return false;
  if (isStrict && (port ?? '') !== url.port) return false;
  if (port !== undefined && port !== portOf(url)) return false;
  return path === undefined || fitsPath(path, url, isStrict);
}

/**
 * Returns whether a wider pattern covers every address that a pattern covers. A star of the narrower pattern is
 * compared like a character, which only a star of the wider one fits.
 */
function isWithin(pattern: string, wider: string): boolean {
  const [own, other] = [form.exec(pattern)?.groups ?? {}, form.exec(wider)?.groups ?? {}];
  const schemeOf = ({ scheme = 'https' }: Readonly<Record<string, string | undefined>>): string =>
    scheme.toLowerCase();
  const hostOf = ({ host = '' }: Readonly<Record<string, string | undefined>>): string =>
    host.toLowerCase().replace(/\.$/, '');
  if (schemeOf(own) !== schemeOf(other) || (own['port'] ?? '') !== (other['port'] ?? '')) return false;
  if (hostOf(own) === '' || !fitsPattern(hostOf(other), hostOf(own))) return false;
  return other['path'] === undefined || fitsPattern(other['path'], own['path'] ?? '');
}

function portOf({ port, protocol }: URL): string {
  return port === '' ? (protocol === 'http:' ? '80' : '443') : port;
}

function fitsPath(pattern: string, { pathname, search }: URL, isStrict: boolean): boolean | undefined {
  if (fitsPattern(pattern, pathname + search)) return true;
  if (isStrict) return false;
  // Servers disagree on which paths are the same, so a path that fits except for its case or encoding is in doubt.
  if (fitsPattern(pattern, pathname)) return true;
  return pathname.includes('%') || fitsPattern(pattern.toLowerCase(), pathname.toLowerCase())
    ? undefined
    : false;
}
