/** Returns advice about a store that fails a clause of the suite. */
export function adviceFor(name: string): string | undefined {
  return /^replaces \d/.test(name)
    ? advice['applies replacements one after the other, then appends']
    : advice[name];
}

/** Advice by the name of the clause. */
const advice: Readonly<Record<string, string>> = {
  'knows nothing of a session that was never committed':
    'Resolve `load` to undefined for a session without a commit; do not throw, and do not create it.',
  'gives back what was appended, in order, under growing revisions':
    'Append `change.append` after the messages that exist, and resolve `commit` to a larger revision each time.',
  'applies replacements one after the other, then appends':
    'Apply the entries of `change.replace` in order, each to the result of the one before it, and `append` last.',
  'takes a hundred insertions at one place':
    'A replacement with `from` equal to `to` inserts. If rows have positions, make room when two neighbors have none left.',
  'merges state and journal by key; null removes an entry':
    'Merge `state` by plugin id and key, and `journal` by key, and remove an entry whose value is null. Use maps or rows, because keys such as `__proto__` are valid.',
  'keeps the last run, and values as they are':
    'Store values as JSON text. Columns of type jsonb or text change or refuse some strings: NUL and lone surrogates are valid.',
  'keeps all that messages have, frozen all the way down':
    'Store each message whole, and freeze what `load` returns, down to the last member.',
  'says when a session was made and when it was changed last':
    'Set `createdAt` at the first commit and `updatedAt` at each, in milliseconds since 1970.',
  'gives records that later commits do not change':
    'Return a copy from `load`: a later commit must not change a record that somebody holds.',
  'gives each caller an array of messages of its own':
    'Return a new array of messages from each `load`, because the caller may change it.',
  'refuses a commit for another revision, and changes nothing':
    'Call `checkRevision` of @shallot/core/store before anything is written, inside the transaction.',
  'lets one of several commits for one revision win':
    'Compare the revision and write in one atomic step, for example in one transaction that locks the row of the session.',
  'refuses to replace missing messages, and applies nothing':
    'Call `checkReplace` of @shallot/core/store before anything is written.',
  'refuses a record of a newer format, and leaves it as it is':
    'Call `checkFormat` of @shallot/core/store with the stored format before a load and before a commit.',
  'deletes a session completely, and starts it again':
    'Delete the messages, state, journal, run and claim with the session; resolve `delete` to whether it existed.',
  'lists the sessions of child runs only by id or parent, and never for workers':
    'Apply `filterSessions` or `fitsFilter` of @shallot/core/store, and store `dueAt(run)`: it is undefined for a child.',
  'deletes the sessions of child runs together with that of their root':
    'In the transaction that deletes a session, also delete those whose notes have it as `parent` and have a `root`, and so on.',
  'lets the holder of the root take the claim on a child at once, and nobody else':
    'Keep `claim.root`, and call `checkClaim` of @shallot/core/store for each commit with a claim.',
  'deletes a session only at the revision that was seen':
    'Call `checkRevision` of @shallot/core/store with `ifRevision` if there is such a session, in the transaction that deletes it.',
  'never uses a revision of a session twice, also when it is started again':
    'Remember the highest revision that a deleted session had, and start new sessions above it.',
  'keeps a claim until it is given up':
    'Keep the claim across commits without the member `claim`, and remove it when `claim` is null.',
  'refuses a claim while that of another is live, and says whose it is':
    'Call `checkClaim` of @shallot/core/store with the stored claim before anything is written.',
  'lets the owner claim again, and anybody commit without a claim':
    'Only a commit with a claim is compared with the stored claim, and the same owner may always renew it.',
  'gives the session to another when a claim is dead':
    'Ask `isClaimLive` of @shallot/core/store (`checkClaim` does): a claim is also dead when its process is gone.',
  'renews a claim of its owner only, without a new revision':
    'Let `renew` replace the claim only if the stored one has the same owner, and leave the revision as it is.',
  'takes session ids literally, whatever is in them':
    'Encode session ids, for example as JSON text, compare them byte by byte, and use parameters in queries, never string concatenation.',
  'finds a prefix that ends in the middle of a character':
    'Compare a prefix by UTF-16 code units, as `startsWith` does.',
  'finds a prefix whatever it ends in, and whatever follows it':
    'Search a range from the prefix up to the prefix followed by the largest byte, in a collation that compares bytes.',
  'lists the latest change first, with what there is to know':
    'Order a listing by a counter of commits: two commits may have the same time. Fill all members of the summary.',
  'keeps notes about a session, and lists them':
    'Store `change.about` as JSON text, keep it across commits without the member, and return it from `load` and in the summary.',
  'counts only the questions that have no answer yet':
    'Store the length of `openInterrupts(run)` of @shallot/core/store with each commit that has a run.',
  'filters by status and prefix':
    'Store `statusOf(run)` of @shallot/core/store with each commit that has a run, and apply all members of the filter.',
  'filters by agent, owner, parent and title':
    'Keep the agent of the run, and owner, parent and title of the notes, in columns of their own, and compare them exactly.',
  'sets a title without a new revision, and no commit takes it away':
    'Store the result of `nextAbout` of @shallot/core/store with each commit that has notes: the stored title stays.',
  'gives each session that may be resumed to one worker':
    'Lock what is given, skip what others have locked, and note until when it is given; a claim, or its end, takes the note away.',
  'gives no session that may not be resumed here':
    'Select as `list({ resumable: true })` does, by the filter, and by the version and the ids to leave out.',
  'gives runs that nobody has begun beside those that wait longer':
    'Give half of the places, rounded up, to runs with `submitted.isNew`, as long as there are any.',
  'gives a duty to one process in a period':
    'In one transaction: note the terms and the time, and give the duty if its terms were known for a 24th of the period and nobody was given it within the period.',
  'reads all of a session but its messages':
    'Return from `head` what `load` returns, without the messages and without reading them.',
  'reads the messages from one on':
    'Search for the message from the last one backwards, and return the revision that all of them are of.',
  'finds the runs of an agent, and those of none':
    'With `resumable`, a run without an agent fits any `agent` of the filter. Stop after `limit` sessions.',
  'lists more than a page, and lets sessions be deleted meanwhile':
    'Continue a listing after the last row of a page, not at an offset.',
  'finds one session by its id': 'Apply `filter.id`, together with the other members of the filter.',
  'finds what workers may resume, the longest waiting first':
    'Store `dueAt(run)` of @shallot/core/store with each commit that has a run. List those that are due, by this time and then by their last change, and skip those with a live claim.',
  'lists more than a page of what workers may resume':
    'Continue the listing after the time and the change of the last row of a page.',
  'lists parked runs under a status of their own':
    'Store `statusOf(run)` of @shallot/core/store as the status: it is `parked` for a parked run.',
  'reports a request to stop when the claim is renewed':
    'Keep a mark with the session that `requestStop` sets without a new revision. `renew` resolves to `stop` while it is set, and a commit removes it unless `keepsStop` of @shallot/core/store is true.',
  'reports a request to stop a child that works':
    'Mark a session whose status is `running`, although no worker may resume it; a child that waits is stopped with its root, and not marked.',
  'shows workers which run is to stop, until another process claims it':
    'Return the mark of `requestStop` as `stopRequested`, in records and in listings: a worker that finds it aborts the run. `keepsStop` of @shallot/core/store tells when a commit removes it.',
  'forgets the request to stop with the run that it is for':
    'Pass `keepsStop` of @shallot/core/store the whole change: the end of the run and another run remove the mark.',
  'does what a simple model does, whatever the sequence of changes':
    'The counterexample shows the smallest sequence of changes after which the store differs. Repeat it by hand.',
  'shows another process what was committed':
    'A commit must be visible to other processes when its promise resolves.',
  'lets one of several processes win each revision':
    'Compare the revision and write in one transaction that excludes other processes.',
  'lets one of several processes have the claim':
    'Compare the claim and write in one transaction that excludes other processes.',
  'is at some commit, never between two, when a process is killed':
    'Write all parts of a change in one transaction, and resolve `commit` only when it is committed.',
  'keeps what is sent to a run in order, until a commit takes it':
    'Return the entries of an inbox in the order of `send`, ignore an id that is there already, and remove the ids in `change.taken` with the commit.',
  'takes nothing with a commit that is refused':
    'Remove the ids in `change.taken` in the transaction of the commit, after all checks.',
  'lets an entry be taken back until it is held':
    'Mark the entries that `inbox` returns with `hold: true` in one transaction, and let `unsend` remove only others.',
  'refuses what no run can take':
    'Resolve `send` to false unless the last run is running or interrupted, and is not parked: see `takesMessages` of @shallot/core/store.',
  'lists a session for workers that have to begin a run with what the last one has left':
    'When a commit has a run of which `leavesMessages` of @shallot/core/store is true, make the session due at once if its inbox has entries, and not at all otherwise. `requestStop` resolves to false for it.',
  'drops the inbox with its session': 'Delete the entries of the inbox with the session.',
  'keeps all that an entry says':
    'Store each entry whole, as JSON text, beside the id and `after`, which you select by.',
  'tells the process of a run what was sent, and that it is to stop':
    'Call the listeners of a session after each `send` with `sent`, and after each `requestStop` with `stop`, in all processes.',
  'holds 1000 entries at most':
    'Throw `inboxFull` of @shallot/core/store from `send` once an inbox has `maxInboxEntries`.',
};
