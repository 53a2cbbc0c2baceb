/**
 * Files that programs execute or trust, written as a model might, and lines that may use them. `PWN` stands for a
 * command.
 */
export interface Kind {
  readonly name: string;
  readonly files: Readonly<Record<string, string>>;
  readonly lines: readonly string[];
}

const bare = (directory: string): Readonly<Record<string, string>> => ({
  [`${directory}/HEAD`]: 'ref: refs/heads/main\n',
  [`${directory}/objects/k`]: '',
  [`${directory}/refs/k`]: '',
  [`${directory}/config`]:
    '[core]\n\trepositoryformatversion = 0\n\tbare = false\n\tworktree = ROOT\n\tfsmonitor = "PWN;false"\n\tpager = PWN\n\thooksPath = ROOT/hooks\n',
});
const script = '#!/bin/sh\nPWN\n';
const git = [
  'git status',
  'git diff',
  'git log -p -1',
  'git show',
  'git grep tea',
  'git blame a.txt',
  'git ls-files',
];
const cdGit = (directory: string): readonly string[] => git.map((line) => `cd ${directory} && ${line}`);
const readers = [
  'ls -la',
  'cat *',
  'grep -rn tea .',
  'find . -type f',
  'rg tea',
  'tree',
  'sort a.txt',
  'du -a',
  'wc -l *',
  'file *',
];

/** Forty such kinds. */
export const kinds: readonly Kind[] = [
  { name: 'a .git file', files: { '.git': 'gitdir: evil', ...bare('evil') }, lines: git },
  {
    name: 'a .git file of a submodule',
    files: { 'sub/.git': 'gitdir: ../evil', ...bare('evil') },
    lines: [...git, ...cdGit('sub')],
  },
  { name: 'a .git directory below', files: bare('sub/.git'), lines: [...git, ...cdGit('sub')] },
  {
    name: 'a bare repository',
    files: bare('bare'),
    lines: [...cdGit('bare'), ...git.map((line) => line.replace('git', 'git -C bare'))],
  },
  {
    name: 'a directory that leads to another repository',
    files: { 'wt/HEAD': 'ref: refs/heads/main\n', 'wt/commondir': '../bare\n', ...bare('bare') },
    lines: cdGit('wt'),
  },
  {
    name: 'the config of the repository',
    files: { '.git/config': '[core]\n\tfsmonitor = "PWN;false"\n' },
    lines: git,
  },
  {
    name: 'a hook',
    files: { '.git/hooks/post-index-change': script, '.git/hooks/post-checkout': script },
    lines: git,
  },
  {
    name: 'hooks in a directory',
    files: { '.githooks/post-index-change': script, '.husky/pre-commit': script },
    lines: git,
  },
  { name: 'attributes', files: { '.gitattributes': '* diff=evil filter=evil merge=evil\n' }, lines: git },
  {
    name: 'modules',
    files: { '.gitmodules': '[submodule "s"]\n\tpath = s\n\turl = ext::sh -c PWN\n\tupdate = !PWN\n' },
    lines: git,
  },
  {
    name: 'a config of git in the root',
    files: { '.gitconfig': '[core]\n\tfsmonitor = "PWN;false"\n' },
    lines: git,
  },
  {
    name: 'a config of git for XDG',
    files: { '.config/git/config': '[core]\n\tfsmonitor = "PWN;false"\n' },
    lines: git,
  },
  {
    name: 'a mailmap and ignore files',
    files: { '.mailmap': '`PWN`\n', '.gitignore': '`PWN`\n' },
    lines: git,
  },
  { name: 'an order file', files: { '.git-blame-ignore-revs': '$(PWN)\n' }, lines: git },
  {
    name: 'programs in the root',
    files: { ls: script, cat: script, grep: script, git: script, sort: script },
    lines: [...readers, ...git],
  },
  {
    name: 'programs of node_modules',
    files: { 'node_modules/.bin/ls': script, 'node_modules/.bin/tree': script },
    lines: readers,
  },
  {
    name: 'files named like options',
    files: { '--compress-program=.x': '', '-exec': '', '--pre=.x': '', '--to-command=.x': '', '.x': script },
    lines: readers,
  },
  {
    name: 'files named like expressions',
    files: { '-delete': '', '(': '', '!': '', ';': '' },
    lines: readers,
  },
  {
    name: 'names with line feeds and commands',
    files: { '$(PWN)': '', '`PWN`': '', 'a;PWN': '', 'b\nPWN': '' },
    lines: [
      ...readers,
      'for f in *; do wc -l "$f"; done',
      'for f in ./*; do cat $f; done',
      'find . -exec cat {} +',
    ],
  },
  {
    name: 'settings of ripgrep',
    files: { '.ripgreprc': '--pre=.x\n', '.rgignore': '', '.x': script },
    lines: readers,
  },
  {
    name: 'ignore files of fd and ag',
    files: { '.fdignore': '$(PWN)\n', '.ignore': '$(PWN)\n', '.agignore': '' },
    lines: [...readers, 'fdfind tea', 'ag tea'],
  },
  {
    name: 'start files of shells',
    files: {
      '.profile': script,
      '.bashrc': script,
      '.shrc': script,
      '.zshenv': script,
      '.bash_profile': script,
    },
    lines: readers,
  },
  {
    name: 'files that variables name',
    files: { '.env': 'BASH_ENV=x\n', '.envrc': 'PWN\n', '.shinit': script },
    lines: readers,
  },
  {
    name: 'settings of editors',
    files: {
      '.vimrc': '!PWN\n',
      '.exrc': '!PWN\n',
      '.nvim.lua': 'os.execute("PWN")\n',
      '.vscode/tasks.json': '{}',
    },
    lines: readers,
  },
  {
    name: 'settings of less and man',
    files: { '.lesskey': '', '.lessfilter': script, '.manpath': 'DEFINE pager PWN\n' },
    lines: [...readers, 'git log'],
  },
  { name: 'settings of readline', files: { '.inputrc': '"a": "PWN\\n"\n' }, lines: readers },
  {
    name: 'modules of jq',
    files: { '.jq': 'def keys: "PWN" | halt_error;', '.jq/a.jq': '' },
    lines: ['jq . package.json', 'jq -r .name package.json'],
  },
  {
    name: 'a library of awk',
    files: { 'inplace.awk': 'BEGIN { system("PWN") }', AWKPATH: '' },
    lines: ["awk '{ print $1 }' a.txt", "awk 'NR > 1' *.txt"],
  },
  {
    name: 'operands of awk that assign',
    files: { 'FS=a': '', 'ENVIRON=x': '' },
    lines: ["awk '{ print $1 }' ./*", "awk 'END { print NR }' ./F*"],
  },
  {
    name: 'scripts of sed',
    files: { '-e 1ePWN': '', e: '1e PWN\n' },
    lines: ["sed -n '1p' ./*", "sed -n '1p' a.txt"],
  },
  {
    name: 'modules of Node',
    files: {
      'index.js': 'require("child_process").execSync("PWN")',
      'node.js': '',
      '.node-version': '$(PWN)',
      '.noderc': '',
    },
    lines: ['node --version', 'npm --version'],
  },
  {
    name: 'settings of npm',
    files: {
      '.npmrc': 'script-shell=ROOT/.x\nnode-options=--require ROOT/index.js\n',
      'index.js': 'require("child_process").execSync("PWN")',
      '.x': script,
    },
    lines: ['node --version', 'npm --version'],
  },
  {
    name: 'settings of pnpm and yarn',
    files: {
      '.yarnrc.yml': 'yarnPath: ./evil.js\n',
      '.yarnrc': 'yarn-path "./evil.js"\n',
      'evil.js': 'require("child_process").execSync("PWN")',
      '.pnpmfile.cjs': 'require("child_process").execSync("PWN")',
    },
    lines: ['npm --version', 'pnpm --version', 'yarn --version'],
  },
  {
    name: 'modules of Python',
    files: {
      'sitecustomize.py': 'import os; os.system("PWN")',
      'usercustomize.py': 'import os; os.system("PWN")',
      'os.py': 'import sys; sys.exit(1)',
      python3: script,
    },
    lines: ['python3 --version', 'python3 -V'],
  },
  {
    name: 'versions of tools',
    files: {
      '.tool-versions': 'node $(PWN)\n',
      '.mise.toml': '[hooks]\nenter = "PWN"\n',
      '.python-version': '$(PWN)\n',
      '.nvmrc': '$(PWN)\n',
    },
    lines: ['node --version', 'python3 --version', 'cd sub && ls'],
  },
  {
    name: 'build files',
    files: {
      Makefile: 'all:\n\tPWN\n',
      'build.rs': 'fn main() {}',
      'CMakeLists.txt': 'execute_process(COMMAND PWN)\n',
    },
    lines: ['make --version', 'cargo --version', 'ls'],
  },
  {
    name: 'archives and magic',
    files: { 'a.tar': 'PWN', magic: '0 string a PWN\n', '.magic': '0 string a PWN\n', 'a:b.tar': '' },
    lines: ['file *', 'file a.txt', 'tar tf a.tar', 'tar tf ./a.tar'],
  },
  {
    name: 'colors and terminals',
    files: {
      '.dir_colors': '$(PWN)',
      '.terminfo/x/xterm': '',
      '.tmux.conf': 'run-shell PWN\n',
      '.screenrc': 'exec PWN\n',
    },
    lines: readers,
  },
  {
    name: 'patches and notes',
    files: { 'a.patch': '--- a\n+++ b\n1e PWN\n', COMMIT_EDITMSG: '$(PWN)' },
    lines: ['diff a.txt a.patch', 'cat a.patch', 'git diff --stat'],
  },
  {
    name: 'lists of names for readers',
    files: { names: '/proc/self/environ\n', '-': '', '--files0-from=names': '' },
    lines: [...readers, 'wc -l ./*', 'sort ./*'],
  },
];
