const names = ['HTTP_PROXY', 'HTTPS_PROXY', 'http_proxy', 'https_proxy'];

/** The hosts of the proxies that an environment names: the only ones that are connected to without a check. */
export function proxyHosts(env: NodeJS.ProcessEnv = {}): ReadonlySet<string> {
  const hosts = names.flatMap((name) => URL.parse(env[name] ?? '')?.hostname ?? []);
  return new Set(hosts.filter((host) => host !== ''));
}
