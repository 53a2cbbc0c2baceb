/** The endings of names by kind of file, under the names that people and search tools use. */
const endings = {
  c: ['c', 'h'],
  cpp: ['cc', 'cpp', 'cxx', 'hh', 'hpp', 'hxx', 'h'],
  cs: ['cs'],
  css: ['css', 'scss', 'sass', 'less'],
  go: ['go'],
  html: ['html', 'htm', 'xhtml'],
  java: ['java'],
  js: ['js', 'jsx', 'mjs', 'cjs', 'vue', 'svelte'],
  json: ['json', 'jsonc', 'json5', 'jsonl'],
  kotlin: ['kt', 'kts'],
  md: ['md', 'mdx', 'markdown'],
  php: ['php'],
  py: ['py', 'pyi'],
  ruby: ['rb', 'rake', 'gemspec'],
  rust: ['rs'],
  sh: ['sh', 'bash', 'zsh', 'fish'],
  sql: ['sql'],
  swift: ['swift'],
  toml: ['toml'],
  ts: ['ts', 'tsx', 'mts', 'cts'],
  txt: ['txt'],
  xml: ['xml', 'svg', 'xsd'],
  yaml: ['yaml', 'yml'],
} as const;

/** A kind of file. */
export type FileType = keyof typeof endings;

/** The kinds of files that searches can be limited to. */
export const fileTypes = Object.keys(endings) as readonly FileType[];

/** Returns true if the name of a file has an ending of the type. */
export function isOfType(path: string, type: FileType): boolean {
  const name = path.slice(path.lastIndexOf('/') + 1);
  const ending = name.slice(name.lastIndexOf('.') + 1).toLowerCase();
  return ending !== name.toLowerCase() && endings[type].some((each) => each === ending);
}
