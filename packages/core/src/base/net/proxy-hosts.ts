const names = ['HTTP_PROXY', 'HTTPS_PROXY', 'http_proxy', 'https_proxy'];

/** Returns the hosts of the proxies that an environment configures; connections to them are not checked. */
export function proxyHosts(env: NodeJS.ProcessEnv = {}): ReadonlySet<string> {
  const hosts = names.flatMap((name) => URL.parse(env[name] ?? '')?.hostname ?? []);
  return new Set(hosts.filter((host) => host !== ''));
}
