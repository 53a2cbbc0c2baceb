import { isDeepStrictEqual } from 'node:util';

import type { Piece, TurnRecord } from './transcript.ts';

/** Something that a protocol does not carry, by its name in the documentation. */
export interface Loss {
  readonly about: string;
  /** Returns a turn without the lost part. */
  readonly drop: (turn: TurnRecord) => TurnRecord;
}

export const lostAnswers: Loss = {
  about: 'which of the answers of a run a part belongs to',
  drop: onPieces((pieces) => pieces.map(({ ...piece }) => withoutKey(piece, 'answer'))),
};

export const lostOrder: Loss = {
  about: 'the order of texts, calls, sources and files within an answer',
  drop: onPieces(inOneOrder),
};

export const lostOriginals: Loss = {
  about: "the model's own input of a call that was edited",
  drop: onPieces((pieces) => pieces.map((piece) => withoutKey(piece, 'asked'))),
};

export const lostDeniers: Loss = {
  about: 'the plugin that denied a call',
  drop: onPieces((pieces) =>
    pieces.map((piece) => {
      if (piece.type !== 'call' || piece.result === undefined || !('denied' in piece.result)) return piece;
      const { by: _, ...denied } = piece.result.denied;
      return { ...piece, result: { denied } };
    }),
  ),
};

export const lostFileNames: Loss = {
  about: 'the names of files in answers',
  drop: onPieces((pieces) =>
    pieces.map((piece) => (piece.type === 'file' ? withoutKey(piece, 'name') : piece)),
  ),
};

/** The loss of all pieces of some types. */
export function lostPieces(about: string, ...types: readonly Piece['type'][]): Loss {
  return { about, drop: onPieces((pieces) => pieces.filter(({ type }) => !types.includes(type))) };
}

/** Returns true if a loss changes a turn. */
export function isLossy(loss: Loss, turn: TurnRecord): boolean {
  return !isDeepStrictEqual(loss.drop(turn), turn);
}

function onPieces(change: (pieces: readonly Piece[]) => readonly Piece[]): Loss['drop'] {
  return (turn) => ({ ...turn, pieces: change(turn.pieces) });
}

function withoutKey<P extends Piece>(piece: P, key: string): P {
  // Only optional keys are removed.
  return Object.fromEntries(Object.entries(piece).filter(([each]) => each !== key)) as P;
}

/** Returns the pieces with all texts of an answer joined, and placed before its other parts except reasoning. */
function inOneOrder(pieces: readonly Piece[]): readonly Piece[] {
  const sorted: Piece[] = [];
  for (const piece of pieces) {
    const place =
      piece.type === 'text'
        ? sorted.findIndex((each) => each.type === 'text' && each.answer === piece.answer)
        : -1;
    const before = sorted[place];
    if (piece.type === 'text' && before?.type === 'text')
      sorted[place] = { ...before, text: before.text + piece.text };
    else if (piece.type === 'text') sorted.splice(placeOfText(sorted, piece.answer), 0, piece);
    else sorted.push(piece);
  }
  return sorted;
}

function placeOfText(pieces: readonly Piece[], answer: number | undefined): number {
  const first = pieces.findIndex(
    (each) => each.type !== 'user' && each.type !== 'reasoning' && each.answer === answer,
  );
  return first === -1 ? pieces.length : first;
}

/** The loss of the bounds between answers: their texts are joined, with a blank line between them. */
export const lostBounds: Loss = {
  about: 'where the text of one answer ends, but for a blank line',
  drop: onPieces((pieces) => {
    const texts = pieces.flatMap((piece) => (piece.type === 'text' ? [piece] : []));
    if (texts.length === 0) return pieces;
    const answers = [...Map.groupBy(texts, ({ answer }) => answer).values()];
    const text = answers.map((each) => each.map((piece) => piece.text).join('')).join('\n\n');
    return [...pieces.filter(({ type }) => type !== 'text'), { type: 'text', text }];
  }),
};

/**
 * The loss of everything before the last answer, if a schema was given: the schema applies to the last answer alone.
 */
export const lostBeforeSchema: Loss = {
  about: 'what comes before an answer that matches a schema',
  drop: onPieces((pieces) => {
    const last = pieces.findLast(({ type }) => type === 'text');
    const isJson = last?.type === 'text' && last.text.startsWith('{');
    return isJson ? pieces.filter((piece) => piece.type !== 'text' || piece === last) : pieces;
  }),
};

export const lostCitations: Loss = {
  about: 'citations',
  drop: onPieces((pieces) => pieces.map((piece) => withoutKey(piece, 'citations'))),
};

export const lostInMiddle: Loss = {
  about: 'messages that were sent to the run',
  drop: onPieces((pieces) => pieces.filter(({ type }, index) => type !== 'user' || index === 0)),
};

/** The loss of a run that has no answer: the client gets an error instead of the text so far. */
export const lostUnanswered: Loss = {
  about: 'all of a run that asks, fails or is stopped, but for its error',
  drop: (turn) => {
    if (turn.questions.length > 0) return failedWith('SESSION_INTERRUPTED', turn);
    if (turn.end.outcome === 'aborted') return failedWith('RUN_ABORTED', turn);
    return turn.end.outcome === 'failed' ? failedWith(turn.end.code, turn) : turn;
  },
};

/** The loss of an answer that begins again: a protocol of text chunks cannot take text back. */
export const lostRetries: Loss = {
  about: 'an answer that begins again with another text, but for the error `server/ANSWER_CHANGED`',
  drop: (turn) => (turn.isRetried ? failedWith('server/ANSWER_CHANGED', turn) : turn),
};

function failedWith(code: string | undefined, { pieces, isRetried }: TurnRecord): TurnRecord {
  const end = { outcome: 'failed', ...(code === undefined ? {} : { code }) };
  return { pieces: pieces.slice(0, 1), questions: [], end, isRetried };
}

export const lostPlaces: Loss = {
  about: 'the place of a call between the texts of its answer',
  drop: onPieces((pieces) => {
    const answers = Map.groupBy(pieces, (piece) => (piece.type === 'user' ? piece : piece.answer));
    const isCall = ({ type }: Piece): boolean => type === 'call';
    return [...answers.values()].flatMap((each) =>
      each.filter((piece) => !isCall(piece)).concat(each.filter(isCall)),
    );
  }),
};

export const lostIds: Loss = {
  about: 'the ids of calls',
  drop: onPieces((pieces) => pieces.map((piece) => (piece.type === 'call' ? { ...piece, id: '' } : piece))),
};

export const lostDenials: Loss = {
  about: 'the difference between an error and a denial',
  drop: onPieces((pieces) =>
    pieces.map((piece) => {
      if (piece.type !== 'call' || piece.result === undefined || !('denied' in piece.result)) return piece;
      return { ...piece, result: { output: piece.result.denied.reason, isError: true } };
    }),
  ),
};

export const lostProviders: Loss = {
  about: 'calls that the provider executes',
  drop: onPieces((pieces) => pieces.filter((piece) => piece.type !== 'call' || piece.by !== 'provider')),
};

export const lostDocuments: Loss = {
  about: 'of citations: documents, quotes, and the ids of sources',
  drop: onPieces((pieces) =>
    pieces.map((piece) => {
      if (piece.type !== 'text' || piece.citations === undefined) return piece;
      const citations = piece.citations.flatMap(({ source: { url, title = '' }, start = 0, end = 0 }) =>
        url === undefined ? [] : [{ source: { id: '', url, title }, start, end }],
      );
      return { ...piece, citations };
    }),
  ),
};

export const lostQuestions: Loss = {
  about: 'of questions: all but which call is to be approved, and the error `SESSION_INTERRUPTED`',
  drop: (turn) => ({
    ...turn,
    questions: turn.questions.flatMap(({ kind }) => (kind === 'approval' ? [{ kind, payload: null }] : [])),
  }),
};

export const lostNames: Loss = {
  about: 'the names of files',
  drop: onPieces((pieces) =>
    pieces.map((piece) => {
      if (piece.type === 'file') return withoutKey(piece, 'name');
      if (piece.type !== 'user') return piece;
      const content = piece.content.map((part) => {
        if (part.type === 'text') return part;
        const { name: _, ...file } = part;
        return file;
      });
      return { ...piece, content };
    }),
  ),
};

export const lostPayloads: Loss = {
  about: 'the kind and payload of a question, but for its text or the call to approve',
  drop: (turn) => ({
    ...turn,
    questions: turn.questions.map(({ kind, payload }) =>
      kind === 'approval' ? { kind, payload: null } : { kind: 'question', payload },
    ),
  }),
};

/** The loss of the results of the last step: a cancelled run ends at once. */
export const lostLastResults: Loss = {
  about: 'a stop that lets the step end: the calls of a run that is cancelled have no results',
  drop: (turn) =>
    turn.end.outcome === 'aborted'
      ? onPieces((pieces) =>
          pieces.map((piece) => (piece.type === 'call' ? withoutKey(piece, 'result') : piece)),
        )(turn)
      : turn,
};

export const lostExecutors: Loss = {
  about: 'that the provider of the model has executed a call',
  drop: onPieces((pieces) => pieces.map((piece) => withoutKey(piece, 'by'))),
};

/** The loss of earlier answers: the client gets only the text of the last one. */
export const lostEarlier: Loss = {
  about: 'all answers of a run but its last',
  drop: onPieces((pieces) => {
    const last = pieces.findLast((piece) => piece.type === 'text');
    if (last?.type !== 'text') return pieces;
    const own = pieces.filter((piece) => piece.type === 'text' && piece.answer === last.answer);
    const text = own.map((piece) => (piece.type === 'text' ? piece.text : '')).join('');
    return [...pieces.filter(({ type }) => type !== 'text'), { type: 'text', text }];
  }),
};

export const lostUserFiles: Loss = {
  about: 'files of the user',
  drop: onPieces((pieces) =>
    pieces.map((piece) =>
      piece.type === 'user'
        ? { ...piece, content: piece.content.filter(({ type }) => type === 'text') }
        : piece,
    ),
  ),
};

export const lostFailures: Loss = {
  about: 'all of a run that fails or is stopped, but for its error',
  drop: (turn) => {
    if (turn.end.outcome === 'aborted') return failedWith('RUN_ABORTED', turn);
    return turn.end.outcome === 'failed' ? failedWith(turn.end.code, turn) : turn;
  },
};
