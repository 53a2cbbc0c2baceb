/**
 * Returns the candidate packages for a plugin name: a short name may be a package of ours, of anyone, or of a scope; a
 * full name is only itself.
 */
export function pluginCandidates(name: string): readonly string[] {
  const [first = '', second = '', ...others] = name.split('/');
  if (first.startsWith('@')) {
    if (first === '@shallot' || second.startsWith('shallot-plugin-') || others.length > 0) return [name];
    return [name, `${first}/shallot-plugin-${second}`];
  }
  if (second !== '' || first.startsWith('shallot-plugin-')) return [name];
  return [name, `@shallot/plugin-${name}`, `shallot-plugin-${name}`];
}
