import {
  lostAnswers,
  lostBeforeSchema,
  lostBounds,
  lostCitations,
  lostDenials,
  lostDeniers,
  lostDocuments,
  lostEarlier,
  lostExecutors,
  lostFailures,
  lostFileNames,
  lostIds,
  lostInMiddle,
  lostLastResults,
  lostNames,
  lostOrder,
  lostOriginals,
  lostPayloads,
  lostPieces,
  lostPlaces,
  lostProviders,
  lostQuestions,
  lostRetries,
  lostUnanswered,
  lostUserFiles,
  type Loss,
} from './loss.ts';
import { playAcp } from './play-acp.ts';
import { playAgUi } from './play-ag-ui.ts';
import { playChat } from './play-chat.ts';
import { playCompletions } from './play-completions.ts';
import { playHttp } from './play-http.ts';
import { playMcp } from './play-mcp.ts';
import { playResponses } from './play-responses.ts';
import type { CreatePlayer } from './player.ts';

/**
 * A protocol, the client that plays it, and the parts of a conversation that it does not carry.
 * `docs/reference/protocols.md` lists these.
 */
export interface Protocol {
  readonly name: string;
  readonly createPlayer: CreatePlayer;
  readonly losses: readonly Loss[];
}

export const protocols: readonly Protocol[] = [
  { name: 'HTTP', createPlayer: playHttp, losses: [] },
  {
    name: 'AI SDK',
    createPlayer: playChat,
    losses: [lostAnswers, lostOriginals, lostDeniers, lostFileNames],
  },
  { name: 'AG-UI', createPlayer: playAgUi, losses: [lostOrder, lostOriginals] },
  {
    name: 'ACP',
    createPlayer: playAcp,
    losses: [
      lostOrder,
      lostAnswers,
      lostOriginals,
      lostDenials,
      lostNames,
      lostExecutors,
      lostPieces('sources', 'source'),
      lostCitations,
      lostPayloads,
      lostLastResults,
    ],
  },
  {
    name: 'Chat completions',
    createPlayer: playCompletions,
    losses: [
      lostUnanswered,
      lostRetries,
      lostPieces('reasoning', 'reasoning'),
      lostPieces("calls of the agent's tools, and their results", 'call'),
      lostPieces('sources, and files in answers', 'source', 'file'),
      lostCitations,
      lostInMiddle,
      lostBeforeSchema,
      lostBounds,
    ],
  },
  {
    name: 'Responses',
    createPlayer: playResponses,
    losses: [
      lostPlaces,
      lostAnswers,
      lostOriginals,
      lostIds,
      lostDenials,
      lostProviders,
      lostPieces('sources, and files in answers', 'source', 'file'),
      lostDocuments,
      lostInMiddle,
      lostBeforeSchema,
      lostQuestions,
    ],
  },
  {
    name: 'MCP',
    createPlayer: playMcp,
    losses: [
      lostFailures,
      lostEarlier,
      lostAnswers,
      lostPieces('reasoning', 'reasoning'),
      lostPieces("calls of the agent's tools, and their results", 'call'),
      lostPieces('sources, and files in answers', 'source', 'file'),
      lostCitations,
      lostInMiddle,
      lostUserFiles,
      lostPayloads,
    ],
  },
];
