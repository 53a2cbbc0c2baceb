/**
 * Synonyms for words that are common in tool names. A word may be in several groups. Groups are small, because a group
 * that matches everything finds nothing.
 */
const groups: readonly (readonly string[])[] = [
  ['create', 'add', 'new', 'make', 'put', 'insert', 'write', 'enter', 'register', 'open', 'start'],
  ['book', 'reserve', 'schedule', 'arrange', 'plan', 'create'],
  ['delete', 'remove', 'erase', 'drop', 'trash', 'discard', 'clear', 'destroy', 'cancel', 'rid'],
  ['update', 'edit', 'change', 'modify', 'set', 'alter', 'adjust', 'correct', 'fix', 'rename', 'replace'],
  ['get', 'read', 'show', 'fetch', 'view', 'look', 'see', 'display', 'retrieve', 'load', 'open', 'check'],
  ['list', 'all', 'every', 'browse', 'overview', 'enumerate'],
  ['search', 'find', 'query', 'lookup', 'look', 'locate', 'where', 'filter'],
  ['send', 'mail', 'deliver', 'forward', 'notify', 'tell', 'post', 'publish', 'submit', 'share'],
  ['copy', 'duplicate', 'clone', 'fork'],
  ['move', 'transfer', 'relocate', 'rename'],
  ['merge', 'combine', 'join', 'unite'],
  ['close', 'finish', 'complete', 'end', 'resolve', 'done', 'archive'],
  ['run', 'execute', 'start', 'launch', 'trigger', 'invoke'],
  ['stop', 'pause', 'halt', 'abort', 'cancel'],
  ['approve', 'accept', 'confirm', 'allow', 'sign'],
  ['reject', 'decline', 'deny', 'refuse'],
  ['assign', 'give', 'delegate', 'allocate'],
  ['comment', 'reply', 'answer', 'respond', 'remark'],
  ['event', 'meeting', 'appointment', 'calendar', 'diary', 'agenda', 'date'],
  ['message', 'mail', 'email', 'chat', 'letter', 'inbox'],
  ['user', 'person', 'people', 'account', 'member', 'colleague', 'contact', 'employee', 'staff'],
  ['customer', 'client', 'buyer', 'account'],
  ['file', 'document', 'doc', 'attachment', 'text'],
  ['folder', 'directory', 'path'],
  ['invoice', 'bill', 'receipt', 'charge'],
  ['payment', 'pay', 'money', 'charge', 'refund', 'transaction'],
  ['order', 'purchase', 'buy', 'cart', 'checkout'],
  ['product', 'item', 'article', 'goods'],
  ['stock', 'inventory', 'warehouse', 'supply'],
  ['task', 'todo', 'reminder', 'job', 'chore'],
  ['issue', 'ticket', 'bug', 'defect', 'problem', 'incident'],
  ['repository', 'repo', 'project', 'codebase'],
  ['branch', 'fork'],
  ['commit', 'change', 'revision', 'diff'],
  ['pull', 'pr', 'request'],
  ['image', 'picture', 'photo', 'screenshot', 'graphic'],
  ['page', 'site', 'website', 'web', 'url', 'link'],
  ['note', 'memo', 'remark', 'comment'],
  ['report', 'summary', 'statistic', 'analytics', 'metric', 'figure'],
  ['database', 'table', 'sql', 'record', 'row'],
  ['weather', 'forecast', 'temperature', 'rain'],
  ['trip', 'travel', 'flight', 'journey', 'train'],
  ['place', 'location', 'address', 'map', 'route', 'direction'],
  ['phone', 'call', 'dial', 'ring'],
  ['price', 'cost', 'quote', 'offer', 'rate'],
  ['contract', 'agreement', 'deal'],
  ['team', 'group', 'department', 'channel'],
  ['role', 'permission', 'right', 'access'],
  ['error', 'log', 'failure', 'exception', 'crash'],
  ['deploy', 'release', 'ship', 'publish', 'rollout'],
];

/** Returns the synonyms by word, all passed through `normalize`. */
export function synonymsBy(normalize: (word: string) => string): ReadonlyMap<string, ReadonlySet<string>> {
  const by = new Map<string, Set<string>>();
  for (const group of groups) {
    const words = group.map(normalize);
    for (const word of words) by.set(word, new Set([...(by.get(word) ?? []), ...words]));
  }
  return by;
}
