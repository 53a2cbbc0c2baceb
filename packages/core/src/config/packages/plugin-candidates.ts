/**
 * Returns the candidate packages for a plugin name: a short name may stand for a package of this project, of anyone else,
 * or in a scope; a full name only stands for itself.
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
