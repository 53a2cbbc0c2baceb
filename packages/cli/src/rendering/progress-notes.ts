import { textOf, type AgentEvent, type JsonValue, type RunResult, type ToolMessage } from '@shallot/core';
import type { Source } from '@shallot/core/model';
import { toolCallsOf, visible } from '@shallot/core/plugin';

import { count } from '../terminal/count.ts';
import { costOf } from '../terminal/dollars.ts';
import { oneLine } from '../terminal/printable.ts';
import type { Screen } from '../terminal/screen.ts';
import { visibleLine } from '../terminal/visible.ts';
import { planBoard } from './plan-board.ts';
import { renderError } from './render-error.ts';
import { askedBy, summarize } from './summarize.ts';
import { warningNotes } from './warning-notes.ts';

/** Notes about a run on stderr; with `quiet` only warnings. Open questions are asked or listed when it has ended. */
export interface ProgressNotes {
  event(event: AgentEvent): void;
  end(result: RunResult): void;
  /** Called if the run has no result. Nothing more is noted. */
  failed(): void;
}

export interface NotesOptions {
  readonly quiet: boolean;
  /**
   * True if questions are asked when the run pauses, so that neither they nor the pause need a note. Default: false.
   */
  readonly asks?: boolean;
  /** True in a chat, where steps and the session are not noted. Default: false. */
  readonly inChat?: boolean;
}

const maxProgressLines = 10;

/** Returns notes that print lines about steps, calls, plugin events, questions and warnings, and a summary at the end. */
export function progressNotes(
  screen: Screen,
  { quiet, asks = false, inChat = false }: NotesOptions,
): ProgressNotes {
  const { bold, cyan, dim, red, yellow } = screen.paintNotes;
  const startedAt = performance.now();
  // Calls that have started; a call that waited for an answer starts again.
  const toolCalls = new Set<string>();

  const progress = (line: string): void => {
    if (!quiet) screen.note(line);
  };
  const warn = (line: string): void => screen.note(`${yellow('warning')} ${screen.redactor.text(line)}`);
  const warnings = warningNotes(warn, (error) => renderError(error, { cwd: screen.io.cwd }));

  const plan = quiet ? undefined : planBoard(screen);

  return {
    event(event) {
      warnings.event(event);
      switch (event.type) {
        case 'step-start':
          return inChat ? undefined : progress(dim(`step ${event.step}`));
        case 'message':
          // On a terminal, the text of an intermediate step was shown on stdout; otherwise stdout gets only the final
          // text.
          if (!screen.live && toolCallsOf(event.message).length > 0) {
            for (const line of linesOf(textOf(event.message))) progress(dim(`  ${oneLine(line)}`));
          }
          return;
        case 'part-end':
          return event.part?.type === 'provider-call'
            ? progress(
                `${cyan('→')} ${oneLine(event.part.name)} ${dim(`${compact(event.part.input)} (by the provider)`)}`,
              )
            : undefined;
        case 'tool-start':
          toolCalls.add(event.callId);
          return progress(`${cyan('→')} ${titled(event)} ${dim(compact(event.input))}`);
        case 'tool-progress':
          for (const line of progressLines(event.data)) progress(dim(`  ${line}`));
          return;
        case 'tool-end':
          return progress(`${event.message.isError ? red('✗') : cyan('←')} ${toolEnd(event.message)}`);
        case 'plugin': {
          if (plan?.event(event) === true) return undefined;
          return progress(
            `${bold(event.plugin)} ${event.name} ${dim(screen.redactor.text(fields(event.data)))}`.trimEnd(),
          );
        }
        case 'interrupt':
          return asks
            ? undefined
            : progress(`${yellow('asks')} ${summarize(event.interrupt)} (${askedBy(event.interrupt)})`);
        default:
          return undefined;
      }
    },
    failed: () => plan?.leave(),
    end(result) {
      plan?.leave();
      // The result also contains errors that came too late to fail the run.
      warnings.end(result.errors.filter((error) => !screen.uncaught.knows(error)));
      if (result.outcome === 'interrupted' && asks) return;
      // For other reasons, the core warns about an incomplete answer.
      if (result.stopReason === 'limit') {
        warn(`the run was stopped by a limit after ${count(result.steps, 'step')}`);
      }
      for (const source of result.sources) progress(dim(`source: ${named(source)}`));
      const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
      const tokens = result.usage.total > 0 ? `, ${count(result.usage.total, 'token')}` : '';
      const cost = costOf(result.usage);
      const did = `${count(result.steps, 'step')}, ${count(toolCalls.size, 'tool call')}${tokens}${cost === undefined ? '' : `, ${cost}`}, ${seconds} s`;
      progress(dim(inChat ? did : `${result.outcome}: ${did}; session ${visibleLine(result.sessionId)}`));
    },
  };
}

function named({ title, url, name, id }: Source): string {
  const parts = [title, url ?? name].filter((part) => part !== undefined);
  return oneLine(visible(parts.length === 0 ? id : parts.join(' ')), 300);
}

/** Returns the title of a tool, and its name, since later lines show only the name. */
function titled({ name, title }: AgentEvent & { type: 'tool-start' }): string {
  return title === undefined ? name : `${oneLine(visible(title), 60)} (${name})`;
}

function toolEnd(message: ToolMessage): string {
  const text = textOf(message);
  if (message.denied) {
    const reason = message.denied.reason === undefined ? '' : `: ${oneLine(message.denied.reason)}`;
    return `${message.name} was denied by ${message.denied.by}${reason}`;
  }
  return message.isError
    ? `${message.name} ${oneLine(text)}`
    : `${message.name} ${count(text.length, 'character')}`;
}

/** Formats an object as `key=value`, a string as it is, and other values as JSON. */
function fields(data: JsonValue): string {
  if (typeof data === 'string') return oneLine(data);
  if (typeof data !== 'object' || data === null || Array.isArray(data)) return compact(data);
  return oneLine(
    Object.entries(data)
      .map(
        ([key, value]) => `${key}=${typeof value === 'string' && !/\s/.test(value) ? value : compact(value)}`,
      )
      .join(' '),
    300,
  );
}

/** Returns the last lines of a program's output; JSON for other data. */
function progressLines(data: JsonValue): string[] {
  const isOutput = typeof data === 'object' && data !== null && 'output' in data;
  const text = isOutput && Object.keys(data).length === 1 ? data.output : data;
  if (typeof text !== 'string') return [compact(data)];
  const lines = linesOf(text).map((line) => oneLine(visible(line)));
  const left = lines.length - maxProgressLines;
  return left <= 0 ? lines : [`… ${count(left, 'line')}`, ...lines.slice(-maxProgressLines)];
}

function compact(value: JsonValue): string {
  return oneLine(visible(JSON.stringify(value) ?? ''));
}

function linesOf(text: string): string[] {
  return text.split('\n').filter((line) => line.trim() !== '');
}
